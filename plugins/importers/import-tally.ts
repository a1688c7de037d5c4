import { countNoun } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';

/** The counts of a run. Every item of the input that is no remark counts exactly once. */
export interface RunTally {
  /** Facts by kind. */
  readonly kinds: Map<string, number>;
  /** Items left out or refused before they were sent, by reason. */
  readonly skips: Map<string, number>;
  readonly remarks: Map<string, number>;
  /** All items that the reader gave, counted apart from their outcomes. */
  read: number;
  /** Items that an earlier, interrupted run has done. */
  earlier: number;
  stored: number;
  /** Items that the node had already. */
  same: number;
  leftOut: number;
  refused: number;
  /** True if an item belongs to the format. */
  isOfFormat: boolean;
  /** Facts of an earlier import that the source has deleted or changed, and that were ended. */
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

/** An input without any item was probably meant for another format. */
export const refuseEmpty = (tally: RunTally, format: string): void => {
  if (tally.isOfFormat) return;
  throw new ServiceError('validation', `nothing in the input looks like an export of the format ${format}`, {
    hint: '"import-from --list" says what each format expects',
  });
};

/** A summary of the import, for people. `judge` says who judged the facts of a dry run. */
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
