/* SPDX-License-Identifier: Apache-2.0
 *
 * See tile_engine.h: the blocks of blocked-disk without its file. */
#include "apsp/tile_engine.h"

#include "apsp/apsp_matrix.h"
#include "apsp/tile_product.h"
#include "core/progress.h"
#include "core/try.h"

_Static_assert(HOP__TILE_ENGINE_GRAIN % HOP__TILE_GRAIN == 0, "sides that products take");

struct hop__tile_engine {
    hop__tile_product product;
    hop__apsp_panels panels;
    hop__workspace space;
};

/* The task is the engine, whose product has the type and the side. */
static void engine_blocks(const void *given, hop__workspace *space) {
    const hop__tile_engine *engine = given;
    const hop__tile_product *product = &engine->product;
    hop__tile_product_blocks(space, offsetof(hop__tile_engine, product), product->type,
                             product->side);
    hop__apsp_panel_blocks(space, offsetof(hop__tile_engine, panels), product->type, product->side);
}

hop_status hop__tile_engine_open(hop_context *context, hop_weight_type type, uint64_t side,
                                 hop__tile_engine **slot) {
    hop__tile_engine *engine = NULL;
    hop_status status;
    HOP_TRY(status, hop__alloc_zero(context, "apsp: tiles", 1, sizeof *engine, &engine));
    engine->product = (hop__tile_product){.context = context, .type = type, .side = side};
    status = hop__workspace_open(context, NULL, engine_blocks, engine, engine, &engine->space);
    if (status != HOP_OK) {
        hop__workspace_close(&engine->space, status);
        hop__free(engine);
        engine = NULL;
        goto done;
    }
    hop__progress_begin(context, "apsp: tiles", 0);
done:
    *slot = engine;
    return status;
}

hop_status hop__tile_engine_free(hop__tile_engine *engine) {
    if (engine == NULL)
        return HOP_OK;
    hop_status status = hop__progress_end(engine->product.context);
    hop__workspace_close(&engine->space, status);
    hop__free(engine);
    return status;
}

hop_status hop__tile_engine_close(hop__tile_engine *engine, void *tile) {
    const hop__tile_product *product = &engine->product;
    return hop__apsp_close(product->context, product->type, product->side, tile, &engine->panels);
}

hop_status hop__tile_engine_multiply(hop__tile_engine *engine, void *c, const void *a,
                                     const void *b) {
    return hop__tile_multiply(&engine->product, c, a, b) ? HOP_OK : HOP_ERR_CANCELLED;
}
