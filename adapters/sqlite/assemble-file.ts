import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type AssembledStore, type AssembleRequest, ServiceError } from '../../ports/ports.ts';
import { COPY_NAME } from './copy-file.ts';
import { describeFile } from './describe-file.ts';
import type { IncrementHeader } from './increment-file.ts';
import { damagedIncrement, readIncrement } from './read-increment.ts';

/** Puts a store together from a base and its increments. See `StoreAdapter.assemble`. */
export const assembleFile = async ({
  chain,
  increments,
  untilMs,
  folder,
}: AssembleRequest): Promise<AssembledStore> => {
  const file = folder === undefined ? undefined : await open(join(folder, COPY_NAME), 'wx', 0o600);
  const state = { databasePages: 0, pageBytes: 0, atMs: null as number | null };
  let previous: string | null = null;
  let number = 0;
  let isWanted = true;
  try {
    for await (const { name, content } of increments) {
      const before: Pick<IncrementHeader, 'chain' | 'number' | 'previous'> = { chain, number, previous };
      previous = await readIncrement(name, content, {
        begin: (header) => {
          requireSuccessor(name, header, before);
          if (number > 0 && header.page_bytes !== state.pageBytes) throw damagedIncrement(name);
          state.pageBytes = header.page_bytes;
        },
        step: (atMs, databasePages) => {
          // The pages of a step rest on those of the steps before it, so no step counts behind one that is too late.
          isWanted = isWanted && atMs <= untilMs;
          if (isWanted) Object.assign(state, { atMs, databasePages });
          return isWanted;
        },
        page: (at, page) => writePage(file, (at - 1) * state.pageBytes, page),
      });
      number += 1;
    }
    if (state.atMs === null) throw noBase();
    await file?.truncate(state.databasePages * state.pageBytes);
    await file?.sync();
  } finally {
    await file?.close();
  }
  return { atMs: state.atMs, copy: folder === undefined ? null : await describeFile(join(folder, COPY_NAME)) };
};

const requireSuccessor = (
  name: string,
  { chain, number, previous }: IncrementHeader,
  before: Pick<IncrementHeader, 'chain' | 'number' | 'previous'>,
): void => {
  if (chain === before.chain && number === before.number && previous === before.previous) return;
  throw new ServiceError('validation', `the increment ${name} does not follow the one before it`, {
    hint: 'an increment is missing, was exchanged or comes from elsewhere: restore a point in time before it, or a backup',
  });
};

const writePage = async (file: FileHandle | undefined, offset: number, page: Buffer): Promise<void> => {
  await file?.write(page, 0, page.length, offset);
};

const noBase = (): ServiceError =>
  new ServiceError('lookup', 'the increments begin after this point in time', {
    hint: 'restore a later one, or a backup',
  });
