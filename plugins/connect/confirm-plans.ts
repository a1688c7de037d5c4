import type { Writable } from 'node:stream';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { type FilePlan, isChange } from './plan-files.ts';
import { textDiff } from './text-diff.ts';

/** Shows each changed file, with its removed and added lines. */
export const showPlans = (plans: readonly FilePlan[], stdout: Writable): void => {
  for (const plan of plans.filter(isChange)) {
    const { file, text } = plan;
    const what = file.text === undefined ? ' (new file)' : text === undefined ? ' (removed)' : '';
    stdout.write(
      `${file.path}${what}\n${textDiff(file.text ?? '', text ?? '')
        .map((line) => `  ${line}\n`)
        .join('')}`,
    );
  }
};

interface Asked {
  readonly options: { readonly dryRun: boolean; readonly yes: boolean };
  readonly ask: ((prompt: string) => Promise<string>) | undefined;
  readonly stderr: Writable;
}

/** A further answer with which the user can agree. */
interface OtherAnswer {
  readonly letter: string;
  readonly summary: string;
}

/**
 * Asks the user to confirm the plans. Returns `other` for the other answer. Throws `validation` if no option decides
 * and no user can answer.
 */
export const confirmed = async ({ options, ask, stderr }: Asked, other?: OtherAnswer): Promise<boolean | 'other'> => {
  if (options.dryRun) {
    stderr.write('Nothing was written.\n');
    return false;
  }
  if (options.yes) return true;
  if (ask === undefined) {
    throw new ServiceError('validation', 'nothing was written, because nobody can be asked', {
      hint: 'add --yes to write what was shown, or --dry-run to look only',
    });
  }
  const choices = other === undefined ? 'y or n' : `y, n, or ${other.letter}: ${other.summary}`;
  const answer = (await ask(`Write these changes (${choices}): `)).trim();
  if (other !== undefined && answer.toLowerCase() === other.letter) return 'other';
  const isYes = /^y(?:es)?$/i.test(answer);
  if (!isYes) stderr.write('Nothing was written.\n');
  return isYes;
};
