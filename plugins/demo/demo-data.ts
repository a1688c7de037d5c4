import type { FactValue } from '../../kernel/plugin-api.ts';

/** A fact of the demonstration, without the members that all of them share. */
export interface DemoFact {
  readonly entity: string;
  readonly relation: string;
  readonly value: Pick<FactValue, 'type' | 'v'>;
  readonly source: string;
  readonly daysAgo: number;
  readonly confidence?: number;
  /** True if the fact is stored in the garden of the demonstration. */
  readonly isPrivate?: boolean;
}

/** The prefix of all demonstration names, so that they never collide with names of real facts. */
const PREFIX = 'demo:';
export const SCOPE = 'team';
export const GARDEN = { slug: 'demo-board', name: 'Demo: the board', scope: SCOPE } as const;

const named = (name: string): string => `${PREFIX}${name}`;
const text = (v: string) => ({ type: 'text', v }) as const;
const string = (v: string) => ({ type: 'string', v }) as const;
const number = (v: number) => ({ type: 'number', v }) as const;
const date = (v: string) => ({ type: 'datetime', v }) as const;
const yes = (v: boolean) => ({ type: 'boolean', v }) as const;
const ref = (name: string) => ({ type: 'ref', v: named(name) }) as const;

/**
 * The sources of the demonstration facts: a person, minutes of meetings, a task tracker, and a mailbox read by a
 * program.
 */
const INES = named('agent:ines');
const MINUTES = named('agent:minutes');
const TRACKER = named('agent:tracker');
const INBOX = named('agent:inbox');

type Row = readonly [relation: string, value: DemoFact['value'], source: string, daysAgo: number, confidence?: number];

const about = (name: string, rows: readonly Row[], isPrivate = false): readonly DemoFact[] =>
  rows.map(([relation, value, source, daysAgo, confidence]) => ({
    entity: named(name),
    relation: `memory:${relation}`,
    value,
    source,
    daysAgo,
    ...(confidence === undefined ? {} : { confidence }),
    ...(isPrivate ? { isPrivate } : {}),
  }));

export const LANTERN = named('project:lantern');

/** A small team that builds a guide for a lighthouse museum. */
export const DEMO_FACTS: readonly DemoFact[] = [
  ...about('project:lantern', [
    ['goal', text('Lantern is an audio guide for the lighthouse museum, without an app to install'), INES, 90],
    ['lead', ref('user:ines'), MINUTES, 88],
    ['status', string('in test with visitors'), TRACKER, 6],
    ['budget_eur', number(48_000), MINUTES, 80],
    ['repository', string('git.example/lantern'), TRACKER, 85],
    ['languages', string('English, Dutch, Portuguese'), MINUTES, 60],
    ['risk', text('The Portuguese recordings wait for a studio'), MINUTES, 12, 0.9],
    ['decision', text('The guide works without a network: towers have thick walls'), MINUTES, 55],
    ['customer', ref('org:museum'), INES, 90],
  ]),
  ...about('user:ines', [
    ['name', string('Ines Duarte'), INES, 90],
    ['role', string('project lead'), MINUTES, 88],
    ['prefers', text('Short messages in the morning, no calls on Fridays'), INBOX, 40, 0.7],
    ['city', string('Porto'), INES, 90],
  ]),
  ...about('user:tomas', [
    ['name', string('Tomas Berg'), MINUTES, 88],
    ['role', string('developer'), MINUTES, 88],
    ['works_on', ref('project:lantern'), TRACKER, 70],
    ['skill', string('audio, offline web pages'), INES, 70],
    ['away', text('Two weeks in August'), INBOX, 9, 0.8],
  ]),
  ...about('user:aiko', [
    ['name', string('Aiko Mori'), MINUTES, 60],
    ['role', string('sound designer'), MINUTES, 60],
    ['works_on', ref('project:lantern'), TRACKER, 58],
    ['prefers', text('Files by name and date, never "final"'), INBOX, 20, 0.7],
  ]),
  ...about('org:museum', [
    ['name', string('Lighthouse Museum of Farol'), INES, 90],
    ['contact', ref('user:joost'), INBOX, 75],
    ['visitors_per_year', number(31_000), INBOX, 75, 0.9],
    ['opens', string('Tuesday to Sunday'), INBOX, 75],
    ['requirement', text('Every stop must be reachable without stairs'), MINUTES, 54],
  ]),
  ...about('user:joost', [
    ['name', string('Joost Maas'), INBOX, 75],
    ['role', string('director of the museum'), INBOX, 75],
    ['prefers', text('Reports on one page'), MINUTES, 30, 0.8],
  ]),
  ...about('task:stops', [
    ['title', string('Record the twelve stops'), TRACKER, 35],
    ['assignee', ref('user:aiko'), TRACKER, 35],
    ['done', yes(false), TRACKER, 3],
    ['due', date('2026-05-02T17:00:00Z'), TRACKER, 35],
  ]),
  ...about('task:offline', [
    ['title', string('Keep all audio on the phone'), TRACKER, 33],
    ['assignee', ref('user:tomas'), TRACKER, 33],
    ['done', yes(true), TRACKER, 8],
  ]),
  ...about(
    'project:lantern',
    [
      ['reserve_eur', number(6_500), INES, 50],
      ['next_customer', text('The harbour office asks for the same guide, nothing is signed'), INES, 15, 0.6],
    ],
    true,
  ),
];

const opening = (v: string, source: string, daysAgo: number, confidence?: number): DemoFact => ({
  entity: LANTERN,
  relation: 'memory:opening',
  value: string(v),
  source,
  daysAgo,
  ...(confidence === undefined ? {} : { confidence }),
});

/** The values of two sources for the same question. */
export const FIRST_SAYING = opening('1 May', MINUTES, 21);
export const SECOND_SAYING = opening('15 June', INBOX, 2, 0.8);

export const DEMO_ENTITIES: readonly string[] = [...new Set(DEMO_FACTS.map(({ entity }) => entity))];
