import { sendBatch } from '../../kernel/command-api.ts';
import { ServiceError, sha256Hex } from '../../kernel/plugin-api.ts';
import type { ReadingParts } from './import-run.ts';

/** Ends the facts that the source has deleted or changed. Returns their number; a dry run only counts them. */
export const endDeleted = async (
  { target, earlier, maxFacts, progress }: ReadingParts,
  { isDry }: { readonly isDry: boolean },
): Promise<number> => {
  let count = 0;
  let lines: string[] = [];
  const send = async (): Promise<void> => {
    const text = lines.join('');
    lines = [];
    if (isDry || text === '') return;
    const body = Buffer.from(text);
    const { rejected } = await sendBatch(
      target,
      { body, idempotencyKey: earlier.keyOf(`import-end-${sha256Hex(text)}`) },
      { answeredBefore: false, onPause: (reason, ms) => progress.say(`${reason}; trying again in ${ms / 1_000} s`) },
    );
    const [refusal] = rejected;
    if (refusal === undefined) return;
    throw new ServiceError('unavailable', `the node ends no fact of the last import: ${refusal.detail}`, {
      hint: 'nothing was imported; import without --follow-deletions to add what is new',
    });
  };
  for await (const line of earlier.retractions()) {
    count += 1;
    lines.push(`${line}\n`);
    if (lines.length === maxFacts) await send();
  }
  await send();
  return count;
};
