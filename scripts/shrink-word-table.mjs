/**
 * Leaves out words of a table that their own pieces describe well enough. `bytes` is a table of `encodeWordTable`, with
 * words by descending frequency before pieces; `read` is `readWordTable` of the embedder. The kept rows stay as they
 * are, byte by byte.
 *
 * The most frequent words always stay. The others compete: a word is worth more, the less its vector resembles the mean
 * of its pieces, and the more frequent it is.
 */
export const shrinkWordTable = (bytes, read) => {
  const names = sectionsOf(bytes).names;
  const placesWhere = (condition) => [...names.keys()].filter((place) => condition(names[place]));
  const pieces = placesWhere((name) => name.includes('+'));
  const words = placesWhere((name) => !name.includes('+'));
  const [whole, ofPieces] = [read(bytes), read(withRows(bytes, pieces))];
  const worth = words.map((place) => {
    if (place < ALWAYS) return Number.POSITIVE_INFINITY;
    return (1 - likeness(names[place], whole, ofPieces)) / Math.sqrt(place + RANK_SHIFT);
  });
  const kept = words.toSorted((a, b) => worth[b] - worth[a] || a - b).slice(0, WORDS);
  return withRows(bytes, [...kept.sort((a, b) => a - b), ...pieces]);
};

/** The number of kept words, such that a table takes 6 MB. */
const WORDS = 43_000;
/** The number of most frequent words that always stay: about those that the model itself knows whole. */
const ALWAYS = 24_000;
/** Softens the effect of the rank. */
const RANK_SHIFT = 2_000;

/** Returns the cosine of a word's vector with the mean of its pieces; 0 for a word that no pieces describe. */
const likeness = (word, whole, ofPieces) => {
  const [own, built] = [whole, ofPieces].map((table) => {
    const sums = new Float64Array(table.dimensions);
    return { found: table.add(word, 1, sums), sums };
  });
  if (built.found === 'nothing') return 0;
  return dot(own.sums, built.sums) / Math.sqrt(dot(own.sums, own.sums) * dot(built.sums, built.sums));
};

/** The layout is described in encode-word-table.mjs. */
const sectionsOf = (bytes) => {
  const [count, dimensions, nameBytes] = [0, 4, 8].map((at) => bytes.readUInt32LE(at));
  const deviations = HEADER_BYTES + nameBytes;
  const scales = deviations + 4 * dimensions;
  const weights = scales + 4 * count;
  const codes = weights + count;
  return {
    dimensions,
    names: bytes.toString('latin1', HEADER_BYTES, deviations).split('\n', count),
    deviations: bytes.subarray(deviations, scales),
    rows: [
      { start: scales, size: 4 },
      { start: weights, size: 1 },
      { start: codes, size: dimensions / 2 },
    ],
  };
};

const HEADER_BYTES = 12;

/** Returns a table with these rows alone. */
const withRows = (bytes, places) => {
  const { dimensions, names, deviations, rows } = sectionsOf(bytes);
  const text = Buffer.from(places.map((place) => `${names[place]}\n`).join(''), 'ascii');
  const padding = Buffer.alloc((4 - (text.length % 4)) % 4, 10);
  const header = Buffer.alloc(HEADER_BYTES);
  [places.length, dimensions, text.length + padding.length].forEach((value, at) => header.writeUInt32LE(value, 4 * at));
  const taken = rows.flatMap(({ start, size }) => {
    return places.map((place) => bytes.subarray(start + place * size, start + (place + 1) * size));
  });
  return Buffer.concat([header, text, padding, deviations, ...taken]);
};

const dot = (a, b) => a.reduce((sum, component, at) => sum + component * b[at], 0);
