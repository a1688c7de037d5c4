import { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SqliteFile } from '../../../adapters/sqlite/open-connection.ts';
import type { WriterAnswer, WriterStep } from '../../../adapters/sqlite/writer/writer-messages.ts';
import { startWriterThread, type WriterHost } from '../../../adapters/sqlite/writer/writer-thread.ts';

/** When a writer thread ends: before its next step, or after that step but before it reports the result. */
export interface Death {
  readonly at: WriterStep['do'];
  readonly when: 'before' | 'after';
}

/** Starts writer threads that a test can end. */
export class MortalWriters {
  /** When the next thread that reaches this point ends; undefined for never. */
  death: Death | undefined;
  started = 0;

  readonly start = (file: SqliteFile): WriterHost => {
    const worker = startWriterThread(file);
    if (!(worker instanceof Worker)) throw new Error('a worker can be ended');
    this.started += 1;
    const seen = new EventEmitter();
    let isDying = false;
    const die = (): void => {
      isDying = true;
      this.death = undefined;
      void worker.terminate();
    };
    const asked: (readonly WriterStep[])[] = [];
    const isLast = (steps: readonly WriterStep[] | undefined, when: Death['when']): boolean =>
      this.death?.when === when && steps?.some((step) => step.do === this.death?.at) === true;
    worker.on('message', (answer: WriterAnswer) => {
      if (!('othersCommitted' in answer) && isLast(asked.shift(), 'after')) die();
      if (!isDying) seen.emit('message', answer);
    });
    worker.on('exit', () => seen.emit('exit'));
    return {
      on: (event: string, listener: (given: never) => void) => seen.on(event, listener as () => void),
      postMessage: (steps) => {
        if (isLast(steps, 'before')) return die();
        asked.push(steps);
        worker.postMessage(steps);
      },
      ref: () => worker.ref(),
      unref: () => worker.unref(),
    };
  };
}
