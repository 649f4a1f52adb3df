/* SPDX-License-Identifier: Apache-2.0
 * How a text of edges is to be read: see table_decide.c. */
#ifndef HOPLITE_IO_FORMATS_TABLE_DECIDE_H
#define HOPLITE_IO_FORMATS_TABLE_DECIDE_H

#include "io/formats/table_record.h"

/* Looks at the first rows of what is left of the text. *is_table: it is to be read as `table` says,
 * and a line of column names has been taken; else it is plain numbers, or wrong, which their reader
 * then says. `ours`: of a file that was written here, with names of text, the delimiter, below a
 * line of column names if it is a comma; 0: of another file. The caller frees table->names. */
hop_status hop__table_decide(hop__text *text, const hop_read_options *options, char ours,
                             hop__table *table, bool *is_table);

/* Whether the beginning of a text is a table by itself: a first row with a delimiter other than
 * blanks, and a second one with as many columns. `cut`: the text goes on behind `end`. */
bool hop__table_seen(const char *text, const char *end, bool cut);

#endif
