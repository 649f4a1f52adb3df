/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats that are recognised and not read: what they are, and one command that turns such a file
 * into one that is read. The rows are data; the first that fits is told. Formats of markup that
 * other tools read well (GraphML, GML, JSON) are left to those tools. */
#include "io/formats/foreign.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/try.h"

typedef struct peeked {
    const unsigned char *bytes;
    size_t count;
    const char *text; /* behind a byte order mark, blanks and ends of lines */
    const char *end;
} peeked;

/* ---- beginnings ---------------------------------------------------------------------------- */

static bool begins(const peeked *in, const char *word) {
    size_t length = strlen(word);
    return (size_t)(in->end - in->text) >= length && strncasecmp(in->text, word, length) == 0;
}

/* Whether the word is somewhere in the first bytes, in any case. */
static bool has(const peeked *in, const char *word) {
    size_t length = strlen(word);
    for (const char *at = in->text; at < in->end && (size_t)(in->end - at) >= length; at++)
        if (strncasecmp(at, word, length) == 0)
            return true;
    return false;
}

static bool is_markup(const peeked *in, const char *root) {
    return begins(in, "<") && has(in, root);
}

static bool is_graphml(const peeked *in) {
    return is_markup(in, "<graphml");
}

static bool is_gexf(const peeked *in) {
    return is_markup(in, "<gexf");
}

static bool is_html(const peeked *in) {
    return begins(in, "<!doctype html") || begins(in, "<html");
}

static bool is_xml(const peeked *in) {
    return begins(in, "<?xml") || begins(in, "<!--");
}

/* What follows `at` after blanks and ends of lines. */
static char next_mark(const char *at, const char *end) {
    while (at < end && memchr(" \t\r\n", *at, 4) != NULL)
        at++;
    return at < end ? *at : '\0';
}

/* "graph [", perhaps behind lines such as "Creator ...". */
static bool is_gml(const peeked *in) {
    for (const char *at = in->text; at != NULL && in->end - at >= 5;) {
        if (strncmp(at, "graph", 5) == 0 && next_mark(at + 5, in->end) == '[')
            return true;
        const char *newline = memchr(at, '\n', (size_t)(in->end - at));
        at = newline == NULL ? NULL : newline + 1;
    }
    return false;
}

/* "digraph NAME {" at the end of the first line, or "{" on the next. */
static bool is_dot(const peeked *in) {
    if (!begins(in, "graph") && !begins(in, "digraph") && !begins(in, "strict "))
        return false;
    const char *newline = memchr(in->text, '\n', (size_t)(in->end - in->text));
    const char *stop = newline == NULL ? in->end : newline;
    while (stop > in->text && memchr(" \t\r", stop[-1], 3) != NULL)
        stop--;
    return stop[-1] == '{' || (newline != NULL && next_mark(newline, in->end) == '{');
}

static bool is_pajek(const peeked *in) {
    return begins(in, "*vertices") || begins(in, "*network");
}

/* "{" or "[" and then what JSON may have there. */
static bool is_json(const peeked *in) {
    if (!begins(in, "{") && !begins(in, "["))
        return false;
    char next = next_mark(in->text + 1, in->end);
    return next == '"' || next == '{' || next == '[' || next == '}' || next == ']' ||
           (in->text[0] == '[' && (next == '-' || (next >= '0' && next <= '9')));
}

/* The end of the first line that is no comment. */
static const char *first_line(const peeked *in, const char **start) {
    const char *at = in->text, *newline = NULL;
    for (;; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(in->end - at));
        if (newline == NULL || (*at != '#' && *at != '%' && newline > at))
            break;
    }
    *start = at;
    const char *stop = newline == NULL ? in->end : newline;
    while (stop > at && memchr(" \t\r", stop[-1], 3) != NULL)
        stop--;
    return stop;
}

static size_t count_of(const char *at, const char *stop, char wanted) {
    size_t count = 0;
    for (; at < stop; at++)
        count += *at == wanted;
    return count;
}

/* "(1, 2)", as Python prints an edge. */
static bool is_tuples(const peeked *in) {
    const char *at, *stop = first_line(in, &at);
    return stop - at >= 5 && *at == '(' && (stop[-1] == ')' || stop[-1] == ',') &&
           count_of(at, stop, '(') == 1 && count_of(at, stop, ')') == 1 &&
           count_of(at, stop, ',') >= 1;
}

/* "a -> b" or "a=>b", and no other delimiter. */
static bool is_arrows(const peeked *in) {
    const char *at, *stop = first_line(in, &at);
    const char *head = memchr(at, '>', (size_t)(stop - at));
    return head != NULL && head - at >= 2 && (head[-1] == '-' || head[-1] == '=') &&
           stop - head >= 2 && count_of(at, stop, '>') == 1 && count_of(at, stop, ',') == 0 &&
           count_of(at, stop, ';') == 0 && count_of(at, stop, '\t') == 0;
}

/* "1: 2 3": a number, a colon and a blank. */
static bool is_neighbours(const peeked *in) {
    const char *at, *stop = first_line(in, &at), *from = at;
    while (at < stop && *at >= '0' && *at <= '9')
        at++;
    return at > from && stop - at >= 3 && at[0] == ':' && at[1] == ' ';
}

/* An empty field, names, and in the next line the first of them. */
static bool is_matrix(const peeked *in) {
    const char *at, *stop = first_line(in, &at);
    const char *next = memchr(stop, '\n', (size_t)(in->end - stop));
    if (stop - at < 4 || (*at != ',' && *at != ';') || next == NULL)
        return false;
    const char *field_end = memchr(at + 1, *at, (size_t)(stop - at - 1));
    size_t length = field_end == NULL ? 0 : (size_t)(field_end - at);
    return length >= 2 && (size_t)(in->end - next) > length &&
           memcmp(next + 1, at + 1, length) == 0;
}

static bool is_bzip2(const peeked *in) {
    const unsigned char *at = in->bytes;
    return in->count >= 10 && memcmp(at, "BZh", 3) == 0 && at[3] >= '1' && at[3] <= '9' &&
           (memcmp(at + 4, "1AY&SY", 6) == 0 || memcmp(at + 4, "\x17rE8P\x90", 6) == 0);
}

static bool is_text_byte(unsigned char byte) {
    return byte >= 0x20 || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Characters of two bytes from byte `from` on, of which the half at `zero` is zero and the other
 * text: a byte order mark alone may be the beginning of anything. */
static bool has_wide_text(const peeked *in, size_t from, size_t zero, size_t least) {
    enum { LOOK = 8 };
    size_t seen = 0;
    for (size_t i = from; i + 1 < in->count && seen < LOOK; i += 2, seen++)
        if (in->bytes[i + zero] != 0 || !is_text_byte(in->bytes[i + 1 - zero]))
            return false;
    return seen >= least;
}

static bool is_utf_16_little(const peeked *in) {
    bool marked = in->count >= 2 && memcmp(in->bytes, "\xff\xfe", 2) == 0;
    return has_wide_text(in, marked ? 2 : 0, 1, marked ? 1 : 4);
}

static bool is_utf_16_big(const peeked *in) {
    bool marked = in->count >= 2 && memcmp(in->bytes, "\xfe\xff", 2) == 0;
    return has_wide_text(in, marked ? 2 : 0, 0, marked ? 1 : 4);
}

/* Text with ends of lines that are CR alone. */
static bool is_old_mac(const peeked *in) {
    if (memchr(in->bytes, '\r', in->count) == NULL || memchr(in->bytes, '\n', in->count) != NULL)
        return false;
    for (size_t i = 0; i < in->count; i++)
        if (!is_text_byte(in->bytes[i]))
            return false;
    return in->bytes[in->count - 1] != '\r' || memchr(in->bytes, '\r', in->count - 1) != NULL;
}

/* The name of the first member of a zip archive. */
static bool zip_begins_with(const peeked *in, const char *name, bool suffix) {
    enum { HEAD = 30 };
    if (in->count < HEAD || memcmp(in->bytes, "PK\x03\x04", 4) != 0)
        return false;
    size_t length = in->bytes[26] | (size_t)in->bytes[27] << 8, wanted = strlen(name);
    if (length > in->count - HEAD || length < wanted)
        return false;
    return memcmp(in->bytes + HEAD + (suffix ? length - wanted : 0), name, wanted) == 0;
}

static bool is_workbook(const peeked *in) {
    return zip_begins_with(in, "[Content_Types].xml", false) || zip_begins_with(in, "xl/", false);
}

static bool is_tar(const peeked *in) {
    enum { MARK = 257 };
    return in->count >= MARK + 5 && memcmp(in->bytes + MARK, "ustar", 5) == 0;
}

/* The native format and scipy's are archives of arrays. */
static bool is_zip(const peeked *in) {
    return in->count >= 30 && memcmp(in->bytes, "PK\x03\x04", 4) == 0 &&
           !zip_begins_with(in, ".npy", true);
}

/* ---- the table ------------------------------------------------------------------------------ */

typedef struct foreign_format {
    const char *name;
    bool packed;
    const char *magic; /* bytes that it begins with, or NULL */
    size_t magic_bytes;
    bool (*fits)(const peeked *in);
    const char *what;
    const char *command; /* FILE stands for the path; NULL: there is none */
} foreign_format;

#define NETWORKX(reader)                                                                           \
    "python3 -c \"import sys, networkx as n; n.write_edgelist(n." reader                           \
    "(sys.argv[1]), sys.argv[2], '#', '\\t', ['weight'])\" FILE FILE.tsv"
#define PANDAS(reader)                                                                             \
    "python3 -c \"import sys, pandas as p; p." reader                                              \
    "(sys.argv[1]).to_csv(sys.argv[2], index=False)\" FILE FILE.csv"

static const foreign_format formats[] = {
    {"xz", true,
     "\xfd"
     "7zXZ\0",
     6, NULL, "compressed by xz", "xz -dk FILE"},
    {"bzip2", true, NULL, 0, is_bzip2, "compressed by bzip2", "bunzip2 -k FILE"},
    {"lz4", true, "\x04\x22\x4d\x18", 4, NULL, "compressed by lz4", "lz4 -d FILE"},
    {"7z", true, "7z\xbc\xaf\x27\x1c", 6, NULL, "a 7z archive", "7z x FILE"},
    {"xlsx", true, NULL, 0, is_workbook, "an Excel workbook", PANDAS("read_excel")},
    {"zip", true, NULL, 0, is_zip, "a zip archive without arrays of NumPy", "unzip FILE"},
    {"tar", true, NULL, 0, is_tar, "a tar archive", "tar xf FILE"},
    {"parquet", true, "PAR1", 4, NULL, "a Parquet file", PANDAS("read_parquet")},
    {"arrow", true, "ARROW1", 6, NULL, "an Arrow (Feather) file", PANDAS("read_feather")},
    {"hdf5", true, "\x89HDF\r\n\x1a\n", 8, NULL, "an HDF5 file", PANDAS("read_hdf")},
    {"sqlite", true, "SQLite format 3", 16, NULL, "a SQLite database",
     "sqlite3 -csv -header FILE 'select * from edges' > FILE.csv"},
    {"utf-16", true, NULL, 0, is_utf_16_little, "text in UTF-16",
     "iconv -f UTF-16LE -t UTF-8 FILE > FILE.txt"},
    {"utf-16", true, NULL, 0, is_utf_16_big, "text in UTF-16",
     "iconv -f UTF-16BE -t UTF-8 FILE > FILE.txt"},
    {"cr", true, NULL, 0, is_old_mac, "text whose lines end in CR alone",
     "tr '\\r' '\\n' < FILE > FILE.txt"},
    {"pdf", true, "%PDF-", 5, NULL, "a PDF document", NULL},
    {"graphml", false, NULL, 0, is_graphml, "GraphML", NETWORKX("read_graphml")},
    {"gexf", false, NULL, 0, is_gexf, "GEXF", NETWORKX("read_gexf")},
    {"html", false, NULL, 0, is_html, "HTML (a web page, perhaps sent in place of the file)", NULL},
    {"xml", false, NULL, 0, is_xml, "XML", NULL},
    {"gml", false, NULL, 0, is_gml, "GML", NETWORKX("read_gml")},
    {"dot", false, NULL, 0, is_dot, "DOT (Graphviz)", NETWORKX("nx_pydot.read_dot")},
    {"pajek", false, NULL, 0, is_pajek, "Pajek", NETWORKX("read_pajek")},
    {"json", false, NULL, 0, is_json, "JSON",
     "jq -r '.links[] | [.source, .target] | @csv' FILE > FILE.csv"},
    {"tuples", false, NULL, 0, is_tuples, "a list of edges in parentheses",
     "tr -d '() ' < FILE > FILE.csv"},
    {"arrows", false, NULL, 0, is_arrows, "a list of edges with arrows",
     "sed 's/ *[-=]*> */,/' FILE > FILE.csv"},
    {"neighbours", false, NULL, 0, is_neighbours, "an adjacency list with colons",
     "awk -F'[: ]+' '{ for (i = 2; i <= NF; i++) if ($i != \"\") print $1, $i }' FILE > FILE.txt"},
    {"matrix", false, NULL, 0, is_matrix, "an adjacency matrix with names",
     "python3 -c \"import sys, pandas as p; m = p.read_csv(sys.argv[1], sep=None, "
     "engine='python', index_col=0).stack(); m[m != 0].to_csv(sys.argv[2], header=False)\" "
     "FILE FILE.csv"},
};

static bool fits(const foreign_format *row, const peeked *in) {
    if (row->magic != NULL)
        return in->count >= row->magic_bytes &&
               memcmp(in->bytes, row->magic, row->magic_bytes) == 0;
    return row->fits(in);
}

/* ---- the message ---------------------------------------------------------------------------- */

/* The path as a word of a shell. */
static void quote_path(const char *path, char *word, size_t room) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-";
    bool quotes = path[0] == '-' || strspn(path, plain) != strlen(path);
    size_t used = 0;
    if (quotes)
        word[used++] = '\'';
    for (; *path != '\0' && used + 8 < room; path++) {
        if (*path == '\'')
            used += (size_t)snprintf(word + used, room - used, "'\\'");
        word[used++] = *path;
    }
    if (quotes)
        word[used++] = '\'';
    word[used] = '\0';
}

/* The command with the path in it. A path behind which a suffix comes is in quotes by itself, which
 * a shell joins. */
static void fill_command(const char *command, const char *path, char *text, size_t room) {
    char word[512];
    size_t used = 0;
    quote_path(path, word, sizeof word);
    while (*command != '\0' && used + 1 < room) {
        if (strncmp(command, "FILE", 4) != 0) {
            text[used++] = *command++;
            continue;
        }
        int length = snprintf(text + used, room - used, "%s", word);
        used = (size_t)length < room - used ? used + (size_t)length : room - 1;
        command += 4;
    }
    text[used] = '\0';
}

hop_status hop__foreign_check(hop_context *context, const hop__input *input,
                              const unsigned char *bytes, size_t count, bool packed) {
    const char *name = hop__input_name(input), *path = hop__input_path(input);
    peeked in = {bytes, count, (const char *)bytes, (const char *)bytes + count};
    char command[800];
    if (count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        in.text += 3;
    while (in.text < in.end && memchr(" \t\r\n", *in.text, 4) != NULL)
        in.text++;
    for (size_t i = 0; i < HOP_LENGTH(formats); i++) {
        const foreign_format *row = &formats[i];
        if ((packed && !row->packed) || !fits(row, &in))
            continue;
        hop__fail(context, HOP_ERR_INPUT, "%s: %s, which is not read", name, row->what);
        hop__note_name(context, HOP_KIND_FORMAT, row->name);
        if (row->command == NULL)
            return HOP_ERR_INPUT;
        bool named = path != NULL && strlen(path) < 200;
        fill_command(row->command, named ? path : "FILE", command, sizeof command);
        bool unpacks = row->fits == is_tar; /* by itself */
        return hop__remedy(context, HOP_REMEDY_CONVERT, "%smake it readable: %s",
                           hop__input_compressed(input) && !unpacks ? "decompress it, and " : "",
                           command);
    }
    return HOP_OK;
}
