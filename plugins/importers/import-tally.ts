import { countNoun } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';

/** The counts of a run. Each item of the input counts exactly once; remarks have their own counts. */
export interface RunTally {
  /** Number of facts by kind. */
  readonly kinds: Map<string, number>;
  /** Number of items left out or refused before sending, by reason. */
  readonly skips: Map<string, number>;
  readonly remarks: Map<string, number>;
  /** Number of items that the reader yielded, counted independently of their outcomes. */
  read: number;
  /** Number of items that an earlier, interrupted run completed. */
  earlier: number;
  stored: number;
  /** Number of items that the node already had. */
  same: number;
  leftOut: number;
  refused: number;
  /** True once the input contained an item of the format. */
  isOfFormat: boolean;
  /** Number of facts that the run ended because the source has deleted or changed them. */
  ended: number;
  requests: number;
  missedLinks: number;
}

export const emptyTally = (): RunTally => ({
  kinds: new Map(),
  skips: new Map(),
  remarks: new Map(),
  read: 0,
  earlier: 0,
  stored: 0,
  same: 0,
  leftOut: 0,
  refused: 0,
  isOfFormat: false,
  ended: 0,
  requests: 0,
  missedLinks: 0,
});

export const addTo = (counts: Map<string, number>, word: string): void => {
  counts.set(word, (counts.get(word) ?? 0) + 1);
};

/** Throws `validation` for an input without any item of the format: the user probably meant another format. */
export const refuseEmpty = (tally: RunTally, format: string): void => {
  if (tally.isOfFormat) return;
  throw new ServiceError('validation', `nothing in the input looks like an export of the format ${format}`, {
    hint: '"fact-memory-node import-from --list" says what each format expects',
  });
};

/**
 * Returns a summary of the import for people. `judge` names the checker of a dry run: the node, or the rules for
 * members.
 */
export const summaryOf = (tally: RunTally, judge?: 'node' | 'rules'): string => {
  const { read, earlier, stored, same, leftOut, refused, ended, missedLinks } = tally;
  const isDry = judge !== undefined;
  const accepted = countNoun(stored + same, 'fact');
  const head =
    judge === undefined
      ? `${accepted} accepted, ${refused} refused`
      : `${accepted} would be sent, ${refused} refused; nothing was ${judge === 'node' ? 'stored' : 'sent'}`;
  const parts = [
    ...(earlier === 0 ? [] : [`${earlier} done by an earlier run`]),
    `${stored} ${isDry ? 'to be stored' : 'stored'}`,
    `${same} same`,
    `${leftOut} left out`,
    `${refused} refused`,
  ];
  return [
    head,
    ...[...tally.kinds].map(([kind, count]) => `  ${kind}: ${count}`),
    ...[...tally.skips].map(([reason, count]) => `  skipped, ${reason}: ${count}`),
    ...[...tally.remarks].map(([remark, count]) => `  remark, ${remark}: ${count}`),
    `  ${countNoun(read, 'item')} read = ${parts.join(' + ')}`,
    ...(ended === 0 ? [] : [`  ${isDry ? 'to be ended' : 'ended'}, deleted or changed in the source: ${ended}`]),
    ...(judge === 'rules' ? ['  no node answered, so duplicates, gardens and permissions were not judged'] : []),
    ...(missedLinks === 0 ? [] : [`  links to items that are not in the input: ${missedLinks}`]),
  ].join('\n');
};
