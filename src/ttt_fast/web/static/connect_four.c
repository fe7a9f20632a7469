/* Connect 4 on 7x6 for a page: the openings, an exact solver, and an alpha-beta search with the n-tuple evaluation.

   The board, the static bounds and the search of the solver are those of search/connect_four/ (geometry.py, bits.py,
   static.py, children.py, search.py, table.py), where each is explained; here the search is recursive, in one thread.
   The evaluation is that of values/ntuple_tables.py.  Positions arrive as lines of moves, so that no 64-bit number
   crosses the boundary.  `python bench/build_wasm.py` makes connect_four.wasm of this file. */

typedef unsigned long long u64;
typedef long long i64;
typedef short i16;
typedef unsigned char u8;

enum { WIDTH = 7, HEIGHT = 6, STRIDE = 7, CELLS = 42, IMAGES = 140, LEVELS = 44, WEIGHTS = 9175040 };
enum { QUIET, WINS, LOSES, DRAWN };
enum { UNKNOWN = 127, UNBOUNDED = 100 };

#define BOTTOM 0x0000040810204081ULL
#define FULL (BOTTOM * 63)
#define SPARE (BOTTOM << HEIGHT)
#define LEADER (BOTTOM * 21) /* rows 0, 2 and 4 */
#define KEY_MASK ((1ULL << 49) - 1)
#define EXPORT(name) __attribute__((export_name(#name)))

static const int ORDER[WIDTH] = {3, 2, 4, 1, 5, 0, 6};

static int count(u64 bits) { return __builtin_popcountll(bits); }
static int max(int a, int b) { return a > b ? a : b; }
static int min(int a, int b) { return a < b ? a : b; }
static u64 column_of(int column) { return 63ULL << (STRIDE * column); }

/* ---- lines of four ---- */

static u64 four_spots(u64 stones) {
  u64 spots = (stones << 1) & (stones << 2) & (stones << 3);
  for (int step = STRIDE - 1; step <= STRIDE + 1; step++) {
    u64 pair = (stones << step) & (stones << 2 * step);
    spots |= pair & (stones << 3 * step);
    spots |= pair & (stones >> step);
    pair = (stones >> step) & (stones >> 2 * step);
    spots |= pair & (stones << step);
    spots |= pair & (stones >> 3 * step);
  }
  return spots & FULL;
}

static int has_four(u64 stones) {
  u64 pair = stones & (stones >> 1), found = pair & (pair >> 2);
  for (int step = STRIDE - 1; step <= STRIDE + 1; step++) {
    pair = stones & (stones >> step);
    found |= pair & (pair >> 2 * step);
  }
  return found != 0;
}

static u64 in_fours(u64 stones) {
  u64 pair = stones & (stones >> 1), start = pair & (pair >> 2), both = start | (start << 1);
  u64 found = both | (both << 2);
  for (int step = STRIDE - 1; step <= STRIDE + 1; step++) {
    pair = stones & (stones >> step);
    start = pair & (pair >> 2 * step);
    both = start | (start << step);
    found |= both | (both << 2 * step);
  }
  return found;
}

/* ---- static analysis ---- */

static int win_score(int played) { return (CELLS + 1 - played) >> 1; }

static int final_score(int status, int played) {
  return status == WINS ? win_score(played) : status == LOSES ? -win_score(played + 1) : 0;
}

static int play_forced(u64 *me, u64 *stones, u64 *mine, u64 *theirs) {
  for (;;) {
    u64 playable = (*stones + BOTTOM) & FULL;
    if (playable & *mine) return WINS;
    u64 allowed = playable & ~(*theirs >> 1), forced = playable & *theirs;
    if (forced) {
      if (forced & (forced - 1)) return LOSES;
      allowed &= forced;
    }
    if (!allowed) return playable ? LOSES : DRAWN;
    if (allowed & (allowed - 1)) return QUIET;
    *me ^= *stones;
    *stones |= allowed;
    *mine = *theirs;
    *theirs = four_spots(*me ^ *stones);
  }
}

static int follower_bound(u64 me, u64 stones, u64 theirs, int upper) {
  u64 empty = FULL & ~stones, playable = (stones + BOTTOM) & FULL;
  u64 threats = theirs & empty & ~LEADER, marked = threats | SPARE, below = (marked - BOTTOM) & ~marked;
  if (has_four(me | (empty & below & (LEADER | playable)))) return upper;
  if (threats) {
    int left = count(empty & ~below) + count((below + BOTTOM) & threats) - 1;
    return min(upper, -((left + 1) >> 1));
  }
  if (has_four((me ^ stones) | (empty & ~LEADER & ~playable))) return min(upper, -1);
  return min(upper, 0);
}

static int zugzwang_bound(u64 me, u64 stones, u64 theirs, int upper) {
  u64 empty = FULL & ~stones, playable = (stones + BOTTOM) & FULL, threats = theirs & empty & LEADER;
  while (threats) {
    u64 threat = threats & (0 - threats);
    threats ^= threat;
    u64 lowest = playable & (threat - 1);
    lowest = lowest ? 1ULL << (63 - __builtin_clzll(lowest)) : 0;
    u64 above = SPARE & (0 - threat), top = above & (0 - above);
    threats &= ~(top - threat);
    if (lowest & LEADER) continue;
    u64 elsewhere = empty & ~(top - lowest) & (LEADER | playable);
    if (!has_four(me | elsewhere | ((threat - lowest) & ~LEADER))) upper = min(upper, -((count(top - threat) + 1) >> 1));
  }
  return upper;
}

static void parity_bounds(u64 me, u64 stones, u64 theirs, int played, int *lower, int *upper) {
  int most = win_score(played + 2);
  *lower = -win_score(played + 3);
  *upper = (CELLS - played) & 1 ? zugzwang_bound(me, stones, theirs, most) : follower_bound(me, stones, theirs, most);
}

static u64 mirror(u64 key) {
  u64 mirrored = 0;
  for (int column = 0; column < WIDTH; column++)
    mirrored |= ((key >> (STRIDE * column)) & 127) << (STRIDE * (WIDTH - 1 - column));
  return mirrored;
}

static u64 canonical(u64 key) {
  u64 other = mirror(key);
  return other < key ? other : key;
}

static u64 lines_and_key(u64 me, u64 stones, int *lower, int *upper) {
  u64 opponent = me ^ stones, empty = FULL & ~stones;
  u64 my_lines = in_fours(me | empty), their_lines = in_fours(opponent | empty);
  *lower = their_lines ? -UNBOUNDED : 0;
  *upper = my_lines ? UNBOUNDED : 0;
  u64 dead = stones & ~((me & my_lines) | (opponent & their_lines));
  if (dead) dead &= ~(in_fours(FULL & ~(me & ~dead)) | in_fours(FULL & ~(opponent & ~dead)));
  return canonical((me & ~dead) + stones);
}

/* ---- transposition table of the solver: buckets of two entries, bounds, work and tag ---- */

enum { BUCKET_BITS = 20, TAG_SHIFT = 22, OFFSET = 31, KEY_BITS = 49 };
static u64 table[2 << BUCKET_BITS];

static u64 hash_key(u64 key) { return (key * 0x9E3779B97F4A7C15ULL) & KEY_MASK; }
static u64 *bucket_of(u64 hashed) { return table + 2 * (hashed >> (KEY_BITS - BUCKET_BITS)); }
static u64 tag_of(u64 hashed) { return hashed & ((1ULL << (KEY_BITS - BUCKET_BITS)) - 1); }

static void find_bounds(u64 hashed, int *lower, int *upper) {
  u64 *bucket = bucket_of(hashed), tag = tag_of(hashed);
  for (int place = 0; place < 2; place++) {
    u64 entry = bucket[place];
    if (entry >> TAG_SHIFT == tag && (entry & 63)) {
      *lower = max(*lower, (int)(entry & 63) - OFFSET);
      *upper = min(*upper, (int)((entry >> 6) & 63) - OFFSET);
    }
  }
}

static void store_bounds(u64 hashed, int lower, int upper, i64 nodes) {
  u64 *bucket = bucket_of(hashed), tag = tag_of(hashed), work = 63 - __builtin_clzll((u64)nodes | 1);
  int place = 0;
  if (bucket[0] >> TAG_SHIFT != tag)
    place = bucket[1] >> TAG_SHIFT == tag || ((bucket[1] >> 12) & 63) < ((bucket[0] >> 12) & 63);
  bucket[place] = (u64)(lower + OFFSET) | ((u64)(upper + OFFSET) << 6) | (work << 12) | (tag << TAG_SHIFT);
}

/* ---- the solver ---- */

typedef struct {
  u64 me, stones, hashed;
  int same, rank, lower, upper;
} Child;

static i64 nodes, node_limit;
static int stopped; /* the search has reached its limit: its value is not known */

/* Is the score of a quiet position at least the target?  A bound that answers: a lower one if so, else an upper one. */
static int search(u64 me, u64 stones, u64 hashed, int target) {
  Child children[WIDTH];
  int number = 0, best = -UNBOUNDED, kept = 0, played = count(stones);
  i64 started = nodes++;
  if (nodes > node_limit) {
    stopped = 1;
    return 0;
  }
  u64 opponent = me ^ stones, theirs = four_spots(opponent);
  u64 allowed = (stones + BOTTOM) & FULL & ~(theirs >> 1);
  for (int order = 0; order < WIDTH; order++) {
    u64 move = allowed & column_of(ORDER[order]);
    if (!move) continue;
    u64 own = four_spots(me | move), mover = opponent, after = stones | move, mine = theirs, others = own;
    int status = play_forced(&mover, &after, &mine, &others), now = count(after), lower, upper, low, high;
    int same = ((now ^ played) & 1) == 0;
    if (status == QUIET) parity_bounds(mover, after, others, now, &lower, &upper);
    else lower = upper = final_score(status, now);
    if (!same) low = -upper, upper = -lower, lower = low;
    if (lower >= target) { best = lower; goto solved; }
    if (upper < target) { best = max(best, upper); continue; }
    u64 key = lines_and_key(mover, after, &low, &high);
    if (!same) { int swap = -low; low = -high; high = swap; }
    lower = max(lower, low);
    upper = min(upper, high);
    if (lower >= target) { best = lower; goto solved; }
    if (upper < target) { best = max(best, upper); continue; }
    u64 free = own & ~(stones | move), next = (stones + move + BOTTOM) & FULL;
    int rank = 64 * count(free) + 16 * count(free & next) + 48 * count(free & (next << 1)), place = number++;
    for (; place > 0 && children[place - 1].rank < rank; place--) children[place] = children[place - 1];
    children[place] = (Child){mover, after, hash_key(key), same, rank, lower, upper};
  }
  for (int place = 0; place < number; place++) {
    Child child = children[place];
    int lower = child.lower, upper = child.upper, low = -upper, high = -lower;
    if (child.same) find_bounds(child.hashed, &lower, &upper);
    else {
      find_bounds(child.hashed, &low, &high);
      lower = -high;
      upper = -low;
    }
    if (lower >= target) { best = lower; goto solved; }
    if (upper < target) best = max(best, upper);
    else children[kept++] = child;
  }
  for (int place = 0; place < kept; place++) {
    Child *child = children + place;
    int wanted = child->same ? target : 1 - target, lower = -UNBOUNDED, upper = UNBOUNDED, value;
    find_bounds(child->hashed, &lower, &upper); /* a sibling may have stored it */
    if (lower >= wanted) value = lower;
    else if (upper < wanted) value = upper;
    else value = search(child->me, child->stones, child->hashed, wanted);
    if (stopped) return 0;
    best = max(best, child->same ? value : -value);
    if (best >= target) break;
  }
solved:;
  int lower = -win_score(played + 3), upper = win_score(played + 2);
  if (best >= target) lower = best;
  else upper = best;
  find_bounds(hashed, &lower, &upper);
  store_bounds(hashed, lower, upper, nodes - started);
  return best;
}

static int next_target(int low, int high) {
  int middle = low + ((high - low) >> 1);
  if (middle <= 0 && -((-low) >> 1) < middle) middle = -((-low) >> 1);
  else if (middle >= 0 && (high >> 1) > middle) middle = high >> 1;
  return middle + 1;
}

/* The score of an ongoing position for the player to move; UNKNOWN if the limit of nodes was reached. */
static int score(u64 me, u64 stones) {
  u64 mine = four_spots(me), theirs = four_spots(me ^ stones), mover = me, after = stones, hashed = 0;
  int status = play_forced(&mover, &after, &mine, &theirs), played = count(after), low, high, none, other;
  int sign = 1 - 2 * ((played - count(stones)) & 1);
  if (status == QUIET) {
    parity_bounds(mover, after, theirs, played, &low, &high);
    hashed = hash_key(lines_and_key(mover, after, &none, &other));
  } else low = high = final_score(status, played);
  while (low < high) {
    int target = next_target(low, high), value = search(mover, after, hashed, target);
    if (stopped) return UNKNOWN;
    if (value >= target) low = value;
    else high = value;
  }
  return sign * low;
}

/* ---- the data of the page: the openings and, after them, the n-tuples, in the orders of `weights_as_json` ---- */

static struct { int keys, entries, weights, turn; } sizes;
static u64 blob[1 << 17];
static u64 *keys;
static int *starts, *first, *images, *steps;
static signed char *key_scores;
static i16 weights[WEIGHTS];

EXPORT(blob) void *blob_address(void) { return blob; }

EXPORT(init) void init(void) {
  sizes.keys = (int)blob[0];
  keys = blob + 1;
  key_scores = (signed char *)(keys + sizes.keys);
  int *whole = (int *)(keys + sizes.keys + (sizes.keys + 7) / 8); /* the openings end at a multiple of 8 bytes */
  sizes.entries = whole[0], sizes.weights = whole[1], sizes.turn = whole[2];
  starts = whole + 3;
  first = starts + IMAGES;
  images = first + STRIDE * WIDTH + 1;
  steps = images + sizes.entries;
  i16 *values = (i16 *)(steps + 2 * sizes.entries);
  u8 *gaps = (u8 *)(values + sizes.weights);
  for (int place = -1, one = 0; one < sizes.weights; one++) { /* a gap of 255 and more is a sum of bytes */
    while (*gaps == 255) place += *gaps++;
    place += *gaps++;
    weights[place] = values[one];
  }
}

static int known_score(u64 me, u64 stones) {
  u64 key = canonical(me + stones);
  for (int low = 0, high = sizes.keys; low < high;) {
    int middle = (low + high) / 2;
    if (keys[middle] == key) return key_scores[middle];
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return UNKNOWN;
}

static int plies_to_end(int value, int ply) {
  if (value == 0) return CELLS - ply;
  int winner = value > 0 ? ply & 1 : 1 - (ply & 1), last = CELLS + 1 - 2 * (value > 0 ? value : -value);
  last -= (last & 1) != winner;
  return last + 1 - ply;
}

static u8 line[CELLS];
static int out[2 * WIDTH + 2]; /* each column's score and the plies after it; the position's own score and plies */

EXPORT(line) void *line_address(void) { return line; }
EXPORT(out) void *out_address(void) { return out; }

/* Play the line from the start: the stones of the player to move, all stones and the cell of the last one. */
static void replay(int length, u64 *me, u64 *stones) {
  *me = *stones = 0;
  for (int ply = 0; ply < length; ply++) {
    u64 move = (*stones + BOTTOM) & column_of(line[ply]);
    *me ^= *stones;
    *stones |= move;
  }
}

/* Write the exact scores of a line's moves into `out`, UNKNOWN where there is none within so many nodes. */
EXPORT(solve) void solve(int length, double limit) {
  u64 me, stones;
  replay(length, &me, &stones);
  nodes = 0;
  node_limit = (i64)limit;
  stopped = 0;
  int own = known_score(me, stones), best = -UNBOUNDED, complete = 1;
  for (int order = 0; order < WIDTH; order++) {
    int column = ORDER[order], value = UNKNOWN, plies = 0;
    u64 move = (stones + BOTTOM) & column_of(column), after = stones | move;
    if (move && has_four(me | move)) value = win_score(length);
    else if (move && after == FULL) value = 0;
    else if (move) {
      value = known_score(me ^ stones, after);
      if (value == UNKNOWN && !stopped) value = score(me ^ stones, after);
      if (value != UNKNOWN) {
        plies = plies_to_end(value, length + 1);
        value = -value;
      }
    }
    if (move && value == UNKNOWN) complete = 0;
    if (value != UNKNOWN) best = max(best, value);
    out[2 * column] = value;
    out[2 * column + 1] = plies;
  }
  if (own == UNKNOWN && complete) own = best;
  out[2 * WIDTH] = own;
  out[2 * WIDTH + 1] = own == UNKNOWN ? 0 : plies_to_end(own, length);
}

/* ---- alpha-beta with the n-tuple evaluation; a win after fewer plies is better ---- */

enum { WON = 20000, MOST = 10000, TABLE_BITS = 18, EXACT = 0, AT_LEAST = 1, AT_MOST = 2 };

static int places[LEVELS][2][IMAGES], totals[LEVELS][2]; /* of each level, as X and as O to move */
static struct Entry {
  u64 key;
  i16 value;
  signed char depth, bound, column;
} entries[1 << TABLE_BITS];

static int cell_of(u64 stones, int column) { return __builtin_ctzll((stones + BOTTOM) & column_of(column)); }

/* The sum of a level's board after a stone of a player, in the view of the other one, who is to move then. */
static int total_after(int level, int cell, int player) {
  int view = 1 - player, *at = places[level][view], *step = steps + sizes.entries, total = totals[level][view];
  for (int entry = first[cell]; entry < first[cell + 1]; entry++)
    total += weights[at[images[entry]] + step[entry]] - weights[at[images[entry]]];
  return total;
}

/* Fill the next level: the board of a level after a stone. */
static void add_stone(int level, int cell, int player) {
  for (int view = 0; view < 2; view++) {
    int *old = places[level][view], *now = places[level + 1][view], total = totals[level][view];
    int *step = view == player ? steps : steps + sizes.entries;
    for (int image = 0; image < IMAGES; image++) now[image] = old[image];
    for (int entry = first[cell]; entry < first[cell + 1]; entry++) {
      int image = images[entry];
      total += weights[now[image] + step[entry]] - weights[now[image]];
      now[image] += step[entry];
    }
    totals[level + 1][view] = total;
  }
}

/* The value of a position for its player, within a window; its level is filled here, by the last stone. */
static int negamax(u64 me, u64 stones, int cell, int depth, int alpha, int beta) {
  int ply = count(stones), player = ply & 1;
  if (++nodes > node_limit) {
    stopped = 1;
    return 0;
  }
  u64 playable = (stones + BOTTOM) & FULL, theirs = four_spots(me ^ stones);
  if (!playable) return 0;
  if (playable & four_spots(me)) return WON - ply;
  u64 forced = playable & theirs, allowed = playable & ~(theirs >> 1);
  if (forced) allowed &= forced, depth++; /* a forced reply costs no depth */
  if ((forced & (forced - 1)) || !allowed) return ply == CELLS - 1 ? 0 : -(WON - ply - 1);
  if (depth <= 0) return max(-MOST, min(MOST, total_after(ply - 1, cell, 1 - player)));
  u64 key = me + stones + BOTTOM;
  struct Entry *entry = entries + ((key * 0x9E3779B97F4A7C15ULL) >> (64 - TABLE_BITS));
  int hint = -1, lowest = alpha;
  if (entry->key == key) {
    hint = entry->column;
    if (entry->depth >= depth && (entry->bound == EXACT || (entry->bound == AT_LEAST && entry->value >= beta) ||
                                  (entry->bound == AT_MOST && entry->value <= alpha)))
      return entry->value;
  }
  add_stone(ply - 1, cell, 1 - player);
  int moves[WIDTH], ranks[WIDTH], number = 0;
  for (int order = 0; order < WIDTH; order++) {
    int column = ORDER[order];
    if (!(allowed & column_of(column))) continue;
    int rank = column == hint ? WON : -total_after(ply, cell_of(stones, column), player), place = number++;
    for (; place > 0 && ranks[place - 1] < rank; place--) ranks[place] = ranks[place - 1], moves[place] = moves[place - 1];
    ranks[place] = rank;
    moves[place] = column;
  }
  int best = -WON, chosen = moves[0];
  for (int place = 0; place < number; place++) {
    int next = cell_of(stones, moves[place]), value;
    u64 after = stones | 1ULL << next;
    value = place ? -negamax(me ^ stones, after, next, depth - 1, -alpha - 1, -alpha) : -WON - 1;
    if (!place || (value > alpha && value < beta))
      value = -negamax(me ^ stones, after, next, depth - 1, -beta, -alpha);
    if (stopped) return 0;
    if (value > best) best = value, chosen = moves[place];
    alpha = max(alpha, value);
    if (alpha >= beta) break;
  }
  int bound = best >= beta ? AT_LEAST : best > lowest ? EXACT : AT_MOST;
  *entry = (struct Entry){key, (i16)best, (signed char)depth, (signed char)bound, (signed char)chosen};
  return best;
}

static void set_start(void) {
  for (int view = 0; view < 2; view++) {
    totals[0][view] = 0;
    for (int image = 0; image < IMAGES; image++) {
      places[0][view][image] = starts[image] + view * sizes.turn;
      totals[0][view] += weights[places[0][view][image]];
    }
  }
}

/* Fill the levels of a line's positions. */
static void set_levels(int length, u64 *me, u64 *stones) {
  set_start();
  *me = *stones = 0;
  for (int ply = 0; ply < length; ply++) {
    int cell = cell_of(*stones, line[ply]);
    add_stone(ply, cell, ply & 1);
    *me ^= *stones;
    *stones |= 1ULL << cell;
  }
}

/* The column of the best move of a line, by a search of so many nodes in ever greater depth; its value is in `out`, as
   the sum of weights for the player to move, beyond MOST for a win. */
EXPORT(choose) int choose(int length, double limit) {
  u64 me, stones;
  set_levels(length, &me, &stones);
  for (int place = 0; place < 1 << TABLE_BITS; place++) entries[place].key = 0; /* the answer depends on the line alone */
  nodes = 0;
  node_limit = (i64)limit;
  stopped = 0;
  int columns[WIDTH], number = 0, value = 0;
  for (int order = 0; order < WIDTH; order++) {
    u64 move = (stones + BOTTOM) & column_of(ORDER[order]);
    if (move && has_four(me | move)) {
      out[0] = WON - length;
      return ORDER[order];
    }
    if (move) columns[number++] = ORDER[order];
  }
  for (int depth = 1; depth <= CELLS - length && !stopped; depth++) {
    int alpha = -WON, best = 0;
    for (int place = 0; place < number; place++) {
      int cell = cell_of(stones, columns[place]), after = -WON - 1;
      u64 all = stones | 1ULL << cell;
      if (place) after = -negamax(me ^ stones, all, cell, depth - 1, -alpha - 1, -alpha);
      if (!place || after > alpha) after = -negamax(me ^ stones, all, cell, depth - 1, -WON, -alpha);
      if (stopped) break;
      if (!place || after > alpha) alpha = after, best = place;
    }
    if (stopped && best == 0) break; /* the first move of the last depth stays the best one that is known */
    value = alpha;
    int chosen = columns[best];
    for (int place = best; place > 0; place--) columns[place] = columns[place - 1];
    columns[0] = chosen;
    if (value > MOST || value < -MOST) break;
  }
  out[0] = value;
  return columns[0];
}
