#include "assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char live_page[] = {
#embed "live.html"
};

const unsigned char *cassets_live_page(void) { return live_page; }

size_t cassets_live_page_size(void) { return sizeof live_page; }
