import type { BodyOf } from '../../../../../client/client.ts';
import { type NarrowingName, narrowingOf } from '../../kit/narrowing.ts';
import type { Query } from '../../shell/address.ts';
import { readWeights, sharesOf, spellWeights, USUAL_WEIGHTS, type Weights } from './weights.ts';

export interface Question {
  readonly query: string;
  readonly entity: string;
}

/** The settings as text, as in the controls and the address. */
export interface Settings extends Readonly<Record<NarrowingName, string>> {
  readonly budget: string;
  readonly limit: string;
  readonly depth: string;
  readonly scope: string;
  readonly relation: string;
  readonly min: string;
  readonly lambda: string;
  /** `1` to include contradicted facts, or empty. */
  readonly contradicted: string;
  /** The instant of a recall of the past, or empty. */
  readonly as_of: string;
  readonly weights: Weights;
}

export type RecallBody = BodyOf<'POST /v1/recall'>;

export const USUAL_SETTINGS: Settings = {
  budget: '2000',
  limit: '100',
  depth: '1',
  scope: 'global',
  relation: '',
  min: '0.1',
  lambda: '0.7',
  contradicted: '',
  as_of: '',
  after: '',
  before: '',
  entities: '',
  relations: '',
  sources: '',
  sessions: '',
  weights: USUAL_WEIGHTS,
};

type TextName = Exclude<keyof Settings, 'weights'>;
const TEXT_NAMES = Object.keys(USUAL_SETTINGS).filter((name): name is TextName => name !== 'weights');

export const readQuestion = ({ q = '', entity = '' }: Query): Question => ({ query: q, entity });

export const readSettings = (query: Query): Settings => {
  const texts = Object.fromEntries(TEXT_NAMES.map((name) => [name, query[name] ?? USUAL_SETTINGS[name]]));
  return { ...(texts as Record<TextName, string>), weights: readWeights(query['w']) };
};

/** Reads the second settings of a comparison, packed into one parameter; undefined without a comparison. */
export const readOtherSettings = ({ b }: Query): Settings | undefined =>
  b === undefined || b === '' ? undefined : readSettings(Object.fromEntries(new URLSearchParams(b)));

/** Returns only the settings that differ from their defaults. */
const spellSettings = (settings: Settings): Query => ({
  ...Object.fromEntries(
    TEXT_NAMES.flatMap((name) => (settings[name] === USUAL_SETTINGS[name] ? [] : [[name, settings[name]]])),
  ),
  w: spellWeights(settings.weights),
});

/** Returns the parameters of the address, from which a link or a reload restores the screen. */
export const spellAddress = ({ query, entity }: Question, one: Settings, other: Settings | undefined): Query => ({
  q: query,
  entity,
  ...spellSettings(one),
  ...(other && { b: new URLSearchParams(spellSettings(other) as Record<string, string>).toString() }),
});

/** Returns the body of the request; undefined without a question. */
export const bodyOf = ({ query, entity }: Question, settings: Settings): RecallBody | undefined => {
  if (query.trim() === '' && entity.trim() === '') return undefined;
  return {
    ...(query.trim() !== '' && { query }),
    ...(entity.trim() !== '' && { entity: entity.trim() }),
    token_budget: Number(settings.budget),
    scope: settings.scope,
    depth: Number(settings.depth),
    limit: Number(settings.limit),
    weights: sharesOf(settings.weights),
    min_confidence: Number(settings.min),
    lambda_mmr: Number(settings.lambda),
    include_contradicted: settings.contradicted !== '',
    ...(settings.relation !== '' && { relation: settings.relation }),
    ...(settings.as_of !== '' && { as_of: settings.as_of }),
    ...narrowingOf({ ...settings, weights: undefined }),
  };
};
