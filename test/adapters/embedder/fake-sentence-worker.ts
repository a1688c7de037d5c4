import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { SentenceModelPlace } from '../../../adapters/embedder/sentence-model-package.ts';
import { serveTexts } from '../../../adapters/embedder/serve-texts.ts';

/**
 * The code of a worker thread with a made-up model: vectors depend on the characters of a text, except that `which`
 * returns the number of earlier texts.
 */

const { dimensions } = (workerData as SentenceModelPlace).manifest;
let count = 0;

const embed = async (text: string): Promise<number[]> => {
  if (text === 'crash') process.exit(1);
  if (text === 'trap') throw Object.assign(new Error('unreachable'), { name: 'RuntimeError' });
  if (text === 'refuse') throw new Error('not this text');
  if (text === 'short') return [1];
  if (text === 'nothing') return Array(dimensions).fill(0);
  count += 1;
  const angle = text === 'which' ? count / 100 : [...text].reduce((sum, letter) => sum + letter.charCodeAt(0), 1);
  return [Math.cos(angle), Math.sin(angle), ...Array(dimensions - 2).fill(0)];
};

serveTexts(parentPort as MessagePort, async () => embed);
