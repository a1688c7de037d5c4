// AssemblyScript: scripts/build-code-scanner.mjs compiles it to WebAssembly, the TypeScript compiler leaves it out
// (tsconfig.json).
//
// Rows of codes lie in blocks of memory that the caller owns; nothing is allocated here. A row of signs is a whole
// number of 16 bytes, bit 1 for a negative component. A row of sizes is as well, with two bits for each component; both
// are padded with zeros. Of each 64 components the first 16 fill the lowest two bits of 16 bytes, the next 16 the two
// bits above, and so on. Two bits are a number from 0 to 3, and the code of the component is twice that plus one, with
// its sign.

/**
 * Must equal the number that load-scanner.ts expects, so that a scanner of another build is rejected. Raise it with
 * every change of an export.
 */
export const revision: i32 = 4;

let query: usize = 0;
let rowWords: i32 = 0;
let list: usize = 0;
let capacity: i32 = 0;
let wanted: i32 = 0;
let histogram: usize = 0;
let count: i32 = 0;
/** Only rows that differ in fewer bits enter the list. */
let limit: i32 = 0;
let wasCut: bool = false;

/**
 * Starts a scan for the rows nearest to the signs at `querySigns`, `words` times 64 bits. The list at `listStart` holds
 * `listCapacity` entries of 8 bytes: the number of different bits, then the tag. A full list is cut to the `listWanted`
 * nearest. `histogramStart` has room for 4 bytes for every possible number of different bits.
 */
export function begin(
  querySigns: usize,
  words: i32,
  listStart: usize,
  listCapacity: i32,
  listWanted: i32,
  histogramStart: usize,
): void {
  query = querySigns;
  rowWords = words;
  list = listStart;
  capacity = listCapacity;
  wanted = listWanted;
  histogram = histogramStart;
  count = 0;
  limit = words * 64 + 1;
  wasCut = false;
}

/**
 * Adds the rows of one block, last row first. `live` and, unless it is 0, `accepted` hold one bit a row in `maskWords`
 * times 32 bits; a row is looked at when both are 1. The tag of a row is `tag` plus its number.
 */
export function scan(signs: usize, live: usize, accepted: usize, maskWords: i32, tag: u32): void {
  const rowBytes: usize = (<usize>rowWords) << 3;
  for (let word = maskWords - 1; word >= 0; word--) {
    let mask = load<u32>(live + ((<usize>word) << 2));
    if (accepted) mask &= load<u32>(accepted + ((<usize>word) << 2));
    if (mask === 0xffffffff && rowWords === 4) {
      scanFull(signs + ((<usize>word) << 5) * rowBytes, tag + ((<u32>word) << 5));
      continue;
    }
    while (mask) {
      const bit: i32 = 31 - <i32>clz<u32>(mask);
      mask ^= (<u32>1) << bit;
      const row: u32 = ((<u32>word) << 5) + <u32>bit;
      const distance =
        rowWords === 4 ? distance256(signs + <usize>row * rowBytes) : distanceOf(signs + <usize>row * rowBytes);
      if (distance < limit) add(distance, tag + row);
    }
  }
}

/** Returns the final number of entries: all rows if they had room, otherwise the wanted number. */
export function finish(): i32 {
  if (wasCut && count > wanted) cut();
  return count;
}

/**
 * Replaces the number of different bits in every entry by the integer product of codes and query components. `blocks`
 * holds the addresses of the signs and of the sizes of every block, 4 bytes each. A tag is the number of a block times
 * 1024 plus a row. Rows have `length` components.
 */
export function score(blocks: usize, components: usize, length: i32): void {
  const signBytes: usize = (<usize>rowWords) << 3;
  const sizeBytes: usize = <usize>length >> 2;
  for (let at = 0; at < count; at++) {
    const entry = list + ((<usize>at) << 3);
    const tag = load<u32>(entry, 4);
    const block = blocks + ((<usize>(tag >> 10)) << 3);
    const row = <usize>(tag & 1023);
    const signs = <usize>load<u32>(block) + row * signBytes;
    const sizes = <usize>load<u32>(block, 4) + row * sizeBytes;
    store<i32>(entry, dot(signs, sizes, components, length));
  }
}

/** Returns the integer product of a row and of 16-bit query components. `length` is a multiple of 64. */
function dot(signs: usize, sizes: usize, components: usize, length: i32): i32 {
  let sum = i32x4.splat(0);
  for (let at = 0; at < length; at += 64) {
    const row = v128.load(sizes + (<usize>at >> 2));
    const sign = signs + (<usize>at >> 3);
    const from = components + ((<usize>at) << 1);
    sum = i32x4.add(sum, product(sign, i8x16.shl(row, 1), from));
    sum = i32x4.add(sum, product(sign + 2, i8x16.shr_u(row, 1), from + 32));
    sum = i32x4.add(sum, product(sign + 4, i8x16.shr_u(row, 3), from + 64));
    sum = i32x4.add(sum, product(sign + 6, i8x16.shr_u(row, 5), from + 96));
  }
  return (
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) + i32x4.extract_lane(sum, 3)
  );
}

/** Multiplies 16 codes with 16 query components. The sizes lie in the second and third bit of each byte. */
function product(signs: usize, sizes: v128, components: usize): v128 {
  const bits = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  const both = i16x8.splat(load<i16>(signs));
  const spread = i8x16.shuffle(both, both, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const negative = i8x16.eq(v128.and(spread, bits), bits);
  const odd = v128.or(v128.and(sizes, i8x16.splat(6)), i8x16.splat(1));
  const codes = i8x16.sub(v128.xor(odd, negative), negative);
  return i32x4.add(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(codes), v128.load(components)),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(codes), v128.load(components, 16)),
  );
}

/** Scans 32 rows of 256 bits without holes, the usual case. It tests no row bits, and the query stays in registers. */
function scanFull(signs: usize, tag: u32): void {
  const q0 = load<u64>(query);
  const q1 = load<u64>(query, 8);
  const q2 = load<u64>(query, 16);
  const q3 = load<u64>(query, 24);
  for (let row = 31; row >= 0; row--) {
    const at = signs + ((<usize>row) << 5);
    const distance = <i32>(
      (popcnt(load<u64>(at) ^ q0) +
        popcnt(load<u64>(at, 8) ^ q1) +
        popcnt(load<u64>(at, 16) ^ q2) +
        popcnt(load<u64>(at, 24) ^ q3))
    );
    if (distance < limit) add(distance, tag + <u32>row);
  }
}

function distance256(row: usize): i32 {
  return <i32>(
    (popcnt(load<u64>(row) ^ load<u64>(query)) +
      popcnt(load<u64>(row, 8) ^ load<u64>(query, 8)) +
      popcnt(load<u64>(row, 16) ^ load<u64>(query, 16)) +
      popcnt(load<u64>(row, 24) ^ load<u64>(query, 24)))
  );
}

function distanceOf(row: usize): i32 {
  let sum: u64 = 0;
  for (let word = 0; word < rowWords; word += 2) {
    const at = (<usize>word) << 3;
    sum +=
      popcnt(load<u64>(row + at) ^ load<u64>(query + at)) + popcnt(load<u64>(row + at, 8) ^ load<u64>(query + at, 8));
  }
  return <i32>sum;
}

function add(distance: i32, tag: u32): void {
  if (count === capacity) {
    cut();
    if (distance >= limit) return;
  }
  const entry = list + ((<usize>count) << 3);
  store<u32>(entry, <u32>distance);
  store<u32>(entry, tag, 4);
  count++;
}

/**
 * Keeps the wanted entries with the fewest different bits, and among equals the earliest. Afterwards only nearer rows
 * enter.
 */
function cut(): void {
  memory.fill(histogram, 0, (<usize>(rowWords * 64 + 1)) << 2);
  for (let at = 0; at < count; at++) {
    const place = histogram + ((<usize>load<u32>(list + ((<usize>at) << 3))) << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
  let last = 0;
  let nearer = 0;
  for (;;) {
    const here = <i32>load<u32>(histogram + ((<usize>last) << 2));
    if (nearer + here >= wanted) break;
    nearer += here;
    last++;
  }
  let ties = wanted - nearer;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const entry = load<u64>(list + ((<usize>at) << 3));
    const distance = <i32>(entry & 0xffffffff);
    if (distance > last || (distance === last && ties-- <= 0)) continue;
    store<u64>(list + ((<usize>kept) << 3), entry);
    kept++;
  }
  count = kept;
  limit = last;
  wasCut = true;
}
