import { columnText, lineText } from '../text/quoted-text.ts';
import type { Cell } from './command-definition.ts';
import { shortText } from './shown-text.ts';

/** The members of a fact that commands show. */
export interface ShownFact {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly value: ShownValue;
  readonly source: string;
  readonly confidence: number;
  readonly scope: string;
  readonly timestamp: string;
  readonly valid_from?: string;
  readonly valid_until?: string | null;
  readonly garden_id?: string | null;
  readonly contradicted?: boolean;
  readonly differs_elsewhere?: boolean;
  readonly ended?: 'retracted' | 'superseded';
  readonly attested?: boolean | null;
  readonly received_from?: string | null;
}

/** The `fields` parameter of a command that shows facts. */
export const SHOWN_FIELDS = 'compact,valid_from,valid_until,attested,received_from';

export interface ShownValue {
  readonly type: string;
  readonly v: string | number | boolean | null;
  readonly interpret_as?: string;
}

/** The maximum length of a value in a list. With `--json`, values are not cut. */
const MOST_SHOWN = 1_000;
const SEPARATOR = ' · ';
/** The mark of a retraction. A retraction without a value shows the mark in place of the value. */
const RETRACTION = 'retraction';

/** Returns the value on one line, safe for a terminal. It is quoted where it could look like columns. */
export const valueLine = ({ v }: ShownValue, most: number = MOST_SHOWN): string => lineText(shortText(String(v), most));

export interface FactEntry {
  /** Text before the value, such as a number. */
  readonly lead?: string;
  readonly nowMs: number;
  /** Further details of the fact, such as its score. */
  readonly more?: readonly string[];
}

/** Returns rows for `table`: the value, and below it entity, relation, source, confidence and age. */
export const factRows = (
  fact: ShownFact,
  { lead = '-', nowMs, more = [] }: FactEntry,
): readonly (readonly Cell[])[] => {
  const where = fact.garden_id == null ? fact.scope : `${fact.scope}, garden ${columnText(gardenName(fact.garden_id))}`;
  const details = [
    `${columnText(fact.entity)} ${columnText(fact.relation)}`,
    columnText(fact.source),
    `confidence ${fact.confidence.toFixed(2)}`,
    ageOf(fact.timestamp, nowMs),
    where,
    ...more,
    columnText(fact.id),
  ];
  const isBare = fact.confidence === 0 && fact.value.v === null;
  const marks = marksOf(fact, nowMs).filter((mark) => !isBare || mark !== RETRACTION);
  const value: Cell = isBare
    ? { text: RETRACTION, style: 'warning' }
    : { text: valueLine(fact.value), style: 'strong' };
  const warning: Cell = { text: marks.join(SEPARATOR), style: 'warning' };
  const about: Cell = { text: details.join(SEPARATOR), style: 'faint' };
  return [[lead, value], ...(marks.length === 0 ? [] : [['', warning]]), ['', about]];
};

/** Returns warnings about the fact, for example that it is contradicted or expired. */
const marksOf = (fact: ShownFact, nowMs: number): readonly string[] => [
  ...(fact.contradicted === true ? ['contradicted'] : []),
  ...(fact.differs_elsewhere === true ? ['another place says otherwise'] : []),
  ...(fact.ended == null ? [] : [columnText(fact.ended)]),
  ...(fact.confidence === 0 ? [RETRACTION] : []),
  ...readingOf(fact.value),
  ...(fact.attested === false ? ['source not attested'] : []),
  ...(fact.received_from == null ? [] : [`received from ${columnText(fact.received_from)}`]),
  ...(fact.valid_from === undefined ? [] : [beginOf(fact.valid_from, nowMs)]),
  ...(fact.valid_until == null ? [] : [endOf(fact.valid_until, nowMs)]),
];

/** Returns the `interpret_as` of a value; empty for the default `content`. */
const readingOf = ({ interpret_as: reading = 'content' }: ShownValue): readonly string[] =>
  reading === 'content' ? [] : [shortText(reading)];

const beginOf = (validFrom: string, nowMs: number): string =>
  `${Date.parse(validFrom) > nowMs ? 'not valid before' : 'valid from'} ${shortText(validFrom)}`;

const endOf = (validUntil: string, nowMs: number): string =>
  `${Date.parse(validUntil) > nowMs ? 'valid until' : 'expired'} ${shortText(validUntil)}`;

/** Returns the slug at the end of a garden's URI. */
const gardenName = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);

const UNITS = [
  [365 * 86_400, 'year'],
  [30 * 86_400, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const;

/** Returns the age, for example `3 days ago`. Returns an invalid instant unchanged. */
export const ageOf = (instant: string, nowMs: number): string => {
  const seconds = (nowMs - Date.parse(instant)) / 1_000;
  if (!Number.isFinite(seconds)) return shortText(instant, 40);
  const [size, unit] = UNITS.find(([least]) => Math.abs(seconds) >= least) ?? [];
  if (size === undefined) return 'just now';
  const count = Math.floor(Math.abs(seconds) / size);
  const span = `${count} ${unit}${count === 1 ? '' : 's'}`;
  return seconds < 0 ? `in ${span}` : `${span} ago`;
};
