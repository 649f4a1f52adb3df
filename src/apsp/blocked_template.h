/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps of apsp_blocked.c for one type of distances. Before including, for each instance
 * (undefined again at the end):
 *   BLOCKED(name)        makes names unique
 *   NUMBER               the type
 *   FAR                  what stands for "not reached" on the way
 *   WEIGHT(graph, arc)   a weight as a NUMBER, never -0.0 */

/* The rows of some vertices as the arcs say. */
static void BLOCKED(fill)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    blocked_job *job = arg;
    const hop_graph *graph = job->graph;
    const uint64_t n = job->n;
    (void)thread;
    for (uint64_t u = begin; u < end; u++) {
        NUMBER *row = (NUMBER *)job->matrix + u * n;
        for (uint64_t v = 0; v < n; v++)
            row[v] = FAR;
        row[u] = 0;
        uint64_t stop = hop__offset(graph, u + 1);
        for (uint64_t i = hop__offset(graph, u); i < stop; i++) {
            hop_vertex v = graph->targets[i];
            NUMBER weight = WEIGHT(graph, i);
            if (v != u && weight < row[v])
                row[v] = weight;
        }
    }
    (void)hop__progress_add(job->context, 0);
}

/* `count` columns of `depth` rows of a matrix, side by side; columns that are missing to a whole
 * panel are FAR. */
static void BLOCKED(pack_columns)(const blocked_job *job, const NUMBER *from, uint64_t stride,
                                  uint64_t depth, uint64_t count, NUMBER *to) {
    const uint64_t width = job->kernel->columns;
    for (uint64_t first = 0; first < count; first += width)
        for (uint64_t k = 0; k < depth; k++, to += width) {
            const uint64_t some = count - first < width ? count - first : width;
            memcpy(to, from + k * stride + first, some * sizeof *to);
            for (uint64_t j = some; j < width; j++)
                to[j] = FAR;
        }
}

/* `count` rows of `depth` columns, in strips of HOP__TILE_ROWS, column after column. */
static void BLOCKED(pack_rows)(const NUMBER *from, uint64_t stride, uint64_t depth, uint64_t count,
                               NUMBER *to) {
    for (uint64_t first = 0; first < count; first += HOP__TILE_ROWS)
        for (uint64_t k = 0; k < depth; k++, to += HOP__TILE_ROWS)
            for (uint64_t i = 0; i < HOP__TILE_ROWS; i++)
                to[i] = first + i < count ? from[(first + i) * stride + k] : FAR;
}

/* A tile that sticks out of what is left of a part. */
static void BLOCKED(edge)(const blocked_job *job, uint64_t depth, const NUMBER *a, const NUMBER *b,
                          NUMBER *c, area left) {
    /* The kernel fetches the tile below: that is inside this array too. */
    NUMBER tile[2 * HOP__TILE_ROWS * HOP__TILE_COLUMNS_MOST];
    const uint64_t width = job->kernel->columns;
    const uint64_t rows = left.rows < HOP__TILE_ROWS ? left.rows : HOP__TILE_ROWS;
    const uint64_t columns = left.columns < width ? left.columns : width;
    for (uint64_t i = 0; i < HOP__TILE_ROWS; i++)
        for (uint64_t j = 0; j < width; j++)
            tile[i * width + j] = i < rows && j < columns ? c[i * job->n + j] : FAR;
    job->kernel->tile(depth, a, b, tile, width);
    for (uint64_t i = 0; i < rows; i++)
        memcpy(c + i * job->n, tile + i * width, columns * sizeof *c);
}

/* c = min(c, a (min, +) b) for a part of the matrix that begins at row i and column j; a and b are
 * packed, from there on. */
static void BLOCKED(product)(const blocked_job *job, uint64_t depth, const NUMBER *a,
                             const NUMBER *b, area part) {
    const uint64_t width = job->kernel->columns;
    NUMBER *c = (NUMBER *)job->matrix + part.row * job->n + part.column;
    for (uint64_t j = 0; j < part.columns; j += width)
        for (uint64_t i = 0; i < part.rows; i += HOP__TILE_ROWS) {
            const NUMBER *left = a + i * depth, *right = b + j * depth;
            uint64_t rows = part.rows - i, columns = part.columns - j;
            NUMBER *tile = c + i * job->n + j;
            if (rows >= HOP__TILE_ROWS && columns >= width)
                job->kernel->tile(depth, left, right, tile, job->n);
            else
                BLOCKED(edge)(job, depth, left, right, tile, (area){0, 0, rows, columns});
        }
}

/* Closes the diagonal block that begins at vertex `first`, and packs it both ways. */
static void BLOCKED(close)(blocked_job *job, uint64_t first) {
    const uint64_t n = job->n, size = block_size(job, first);
    NUMBER *block = job->block, *c = (NUMBER *)job->matrix + first * n + first;
    for (uint64_t i = 0; i < size; i++)
        memcpy(block + i * size, c + i * n, size * sizeof *c);
    for (uint64_t k = 0; k < size; k++)
        for (uint64_t i = 0; i < size; i++)
            if (i != k)
                job->kernel->relax(block + i * size, block + k * size, block + i * size + k, size);
    for (uint64_t i = 0; i < size; i++)
        memcpy(c + i * n, block + i * size, size * sizeof *c);
    BLOCKED(pack_rows)(block, size, size, size, job->block_rows);
    BLOCKED(pack_columns)(job, block, size, size, size, job->block_columns);
}

/* Blocks of the row and of the column of blocks that the diagonal block is in: number 2 b is block
 * b of the row, 2 b + 1 of the column. Each is packed as it was, multiplied, and packed anew. */
static void BLOCKED(cross)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    blocked_job *job = arg;
    const uint64_t n = job->n, depth = block_size(job, job->first);
    const NUMBER *matrix = job->matrix;
    (void)thread;
    for (uint64_t task = begin; task < end && goes_on(job, 0); task++) {
        const uint64_t at = task / 2 * BLOCK, size = block_size(job, at);
        if (at == job->first)
            continue;
        if (task % 2 == 0) {
            NUMBER *panel = (NUMBER *)job->right + at * depth;
            const NUMBER *from = matrix + job->first * n + at;
            BLOCKED(pack_columns)(job, from, n, depth, size, panel);
            area part = {job->first, at, depth, size};
            BLOCKED(product)(job, depth, job->block_rows, panel, part);
            BLOCKED(pack_columns)(job, from, n, depth, size, panel);
        } else {
            NUMBER *panel = (NUMBER *)job->left + at * depth;
            const NUMBER *from = matrix + at * n + job->first;
            BLOCKED(pack_rows)(from, n, depth, size, panel);
            area part = {at, job->first, size, depth};
            BLOCKED(product)(job, depth, panel, job->block_columns, part);
            BLOCKED(pack_rows)(from, n, depth, size, panel);
        }
        (void)goes_on(job, depth * depth * size);
    }
}

/* The part of the matrix that is in neither, from the packed row and column. */
static void BLOCKED(update)(blocked_job *job, area part) {
    const uint64_t depth = block_size(job, job->first);
    if (part.columns == 0 || part.rows == 0)
        return;
    const NUMBER *a = (const NUMBER *)job->left + part.row * depth;
    const NUMBER *b = (const NUMBER *)job->right + part.column * depth;
    BLOCKED(product)(job, depth, a, b, part);
    (void)goes_on(job, depth * part.rows * part.columns);
}

static void BLOCKED(rest)(void *arg, uint64_t begin, uint64_t end, unsigned thread) {
    blocked_job *job = arg;
    const uint64_t n = job->n, next = job->first + BLOCK;
    (void)thread;
    for (uint64_t task = begin; task < end && goes_on(job, 0); task++) {
        if (task == 0 && next < n) { /* look-ahead: the next diagonal block */
            const uint64_t size = block_size(job, next);
            BLOCKED(update)(job, (area){next, next, size, size});
            BLOCKED(close)(job, next);
        }
        if (task == 0)
            continue;
        const uint64_t row = (task - 1) % job->blocks * BLOCK, rows = block_size(job, row);
        const uint64_t column = (task - 1) / job->blocks * CHUNK;
        const uint64_t stop = n - column < CHUNK ? n : column + CHUNK;
        uint64_t from = column;
        for (uint64_t at = column; at < stop && row != job->first; at += BLOCK)
            if (at == job->first || (row == next && at == next)) {
                BLOCKED(update)(job, (area){row, from, rows, at - from});
                from = at + BLOCK;
            }
        if (row != job->first && from < stop)
            BLOCKED(update)(job, (area){row, from, rows, stop - from});
    }
}

static void BLOCKED(run)(blocked_job *job) {
    BLOCKED(close)(job, 0);
    for (job->first = 0; job->first < job->n && goes_on(job, 0); job->first += BLOCK) {
        hop__phase(job->context, "cross");
        hop__for(job->context, 2 * job->blocks, 1, BLOCKED(cross), job);
        hop__phase(job->context, "rest");
        uint64_t chunks = job->n / CHUNK + (job->n % CHUNK != 0);
        hop__for(job->context, 1 + chunks * job->blocks, 1, BLOCKED(rest), job);
    }
}

#undef BLOCKED
#undef NUMBER
#undef FAR
#undef WEIGHT
