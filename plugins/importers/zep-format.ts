import { parseInstant } from '../../kernel/plugin-api.ts';
import type { ImportDraft, ImportItem, ImportReader, ImportSettings } from './importers-api.ts';
import { idMember, isObject, listMember, member, relationPart, relationWord, textMember } from './origin-values.ts';

/** Lists in replies of the API. `messages` is not among them, because its outer object names the session. */
const LISTS = ['edges', 'nodes', 'episodes', 'sessions', 'threads'] as const;

interface Place {
  readonly at: string;
  /** The session of messages that name none. */
  readonly session: string;
  /** The time for messages without a time: the time of the previous message, otherwise of the session. */
  readonly toldAt?: string | undefined;
  readonly settings: ImportSettings;
}

/** Takes replies of the API versions 2 to 4, of Graphiti and of the community edition. */
export const readZep: ImportReader = async function* (input, settings) {
  for await (const file of input.files()) {
    if (!/\.jsonl?$/i.test(file.path)) {
      yield { at: file.path, skipped: 'no JSON file', isBroken: false, isForeign: true };
      continue;
    }
    const session = (file.path.split('/').at(-1) ?? '').replace(/\.jsonl?$/i, '');
    let toldAt: string | undefined;
    for await (const { list, index, value } of file.items(LISTS)) {
      toldAt = createdAt(value, settings) ?? toldAt;
      const at = `${file.path}, ${list === '' ? 'item' : list} ${index + 1}`;
      yield* itemsOf(value, { at, session, toldAt, settings });
    }
  }
};

const createdAt = (value: unknown, { instant }: ImportSettings): string | undefined =>
  instant(member(value, 'created_at'));

function* itemsOf(value: unknown, place: Place): Generator<ImportItem> {
  if (!isObject(value)) yield { at: place.at, skipped: 'not a JSON object', isBroken: true };
  else if (Array.isArray(member(value, 'messages')) || Array.isArray(member(value, 'facts'))) {
    yield* sessionItems(value, place);
  } else if (textMember(value, 'fact') !== undefined) yield* edgeItems(value, place);
  else if (textMember(value, 'content') !== undefined) yield* messageItems(value, place);
  else if (textMember(value, 'name') !== undefined && idMember(value, 'uuid') !== undefined) {
    yield* nodeItems(value, place);
  } else if (idMember(value, 'session_id', 'thread_id') !== undefined) {
    yield { at: place.at, skipped: 'a session without messages', isBroken: false };
  } else if (idMember(value, 'uuid') !== undefined) {
    yield { at: place.at, skipped: 'an item without text', isBroken: true };
  }
}

function* sessionItems(value: unknown, place: Place): Generator<ImportItem> {
  const inside = { ...place, session: idMember(value, 'session_id', 'thread_id') ?? place.session };
  const messages = listMember(value, 'messages');
  const times = [value, ...messages].map((one) => createdAt(one, place.settings));
  let toldAt = times.find((time) => time !== undefined) ?? place.toldAt;
  for (const [at, message] of messages.entries()) {
    toldAt = times[at + 1] ?? toldAt;
    yield* itemsOf(message, { ...inside, toldAt, at: `${place.at}, message ${at + 1}` });
  }
  for (const [at, fact] of listMember(value, 'facts').entries()) {
    yield* itemsOf(fact, { ...inside, at: `${place.at}, fact ${at + 1}` });
  }
}

/** A fact of the graph, both as a sentence and as a link between two nodes. */
function* edgeItems(value: unknown, { at, session, settings }: Place): Generator<ImportItem> {
  const id = idMember(value, 'uuid');
  const text = textMember(value, 'fact') ?? '';
  if (id === undefined) {
    yield { at, skipped: 'a fact without a uuid', isBroken: true };
    return;
  }
  const from = idMember(value, 'source_node_uuid');
  const to = idMember(value, 'target_node_uuid');
  const graph = idMember(value, 'group_id', 'graph_uuid');
  const { beginsAt, ...valid } = validityOf(value, settings);
  const common: Omit<ImportDraft, 'kind' | 'relation' | 'value'> = {
    at,
    entity: from === undefined ? `zep:session/${session}` : `zep:node/${from}`,
    source: graph === undefined ? 'zep' : `zep:graph/${graph}`,
    ...valid,
    derivedFrom: [...listMember(value, 'episodes'), ...listMember(value, 'episode_uuids')].map((one) => String(one)),
  };
  const relation = `memory:fact:${relationPart(id)}`;
  yield { ...common, kind: 'fact', relation, value: { type: 'text', v: text } };
  if (beginsAt !== undefined && valid.validFrom === undefined) {
    const v = { type: 'datetime', v: beginsAt } as const;
    yield { ...common, kind: 'validity', relation: `${relation}:valid_at`, value: v };
  }
  const name = textMember(value, 'name');
  if (from === undefined || to === undefined || name === undefined) return;
  yield {
    ...common,
    kind: 'relation',
    relation: `rel:${relationWord(name)}:${relationPart(to)}`,
    value: { type: 'ref', v: `zep:node/${to}` },
  };
}

interface Validity {
  readonly timestamp: string | undefined;
  /** When the fact begins to be valid, if that is later than the instant at which it was written. */
  readonly beginsAt?: string;
  /** Equal to `beginsAt`; undefined if the fact ends before it, because a node refuses such a span. */
  readonly validFrom?: string | undefined;
  readonly validUntil: string | undefined;
}

/**
 * Returns the times of a fact. A node refuses a timestamp in the future, so a fact that begins later gets its creation
 * time.
 */
const validityOf = (value: unknown, { instant, end, nowMs }: ImportSettings): Validity => {
  const validUntil = earlier(end(member(value, 'invalid_at')), end(member(value, 'expired_at')));
  const beginsAt = instant(member(value, 'valid_at'));
  const created = instant(member(value, 'created_at'));
  if (beginsAt === undefined) return { timestamp: created, validUntil };
  const beginsMs = parseInstant(beginsAt) ?? 0;
  const timestamp = beginsMs > nowMs ? created : beginsAt;
  const writtenMs = created === undefined ? nowMs : (parseInstant(created) ?? nowMs);
  if (beginsMs <= writtenMs) return { timestamp, validUntil };
  const isSpan = validUntil === undefined || (parseInstant(validUntil) ?? 0) >= beginsMs;
  return { timestamp, beginsAt, validFrom: isSpan ? beginsAt : undefined, validUntil };
};

const earlier = (one: string | undefined, other: string | undefined): string | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  return (parseInstant(one) ?? 0) <= (parseInstant(other) ?? 0) ? one : other;
};

function* nodeItems(value: unknown, { at, settings }: Place): Generator<ImportItem> {
  const common = {
    at,
    kind: 'node',
    entity: `zep:node/${idMember(value, 'uuid')}`,
    source: 'zep',
    timestamp: createdAt(value, settings),
  };
  yield { ...common, relation: 'memory:name', value: { type: 'string', v: textMember(value, 'name') ?? '' } };
  const summary = textMember(value, 'summary');
  if (summary !== undefined) yield { ...common, relation: 'memory:summary', value: { type: 'text', v: summary } };
}

/** A message of a session, or an episode of the graph, which has the same form. */
function* messageItems(value: unknown, { at, session: around, toldAt }: Place): Generator<ImportItem> {
  const id = idMember(value, 'uuid', 'id');
  if (id === undefined) {
    yield { at, skipped: 'a message without a uuid', isBroken: true };
    return;
  }
  const session = idMember(value, 'session_id', 'thread_id') ?? around;
  yield {
    kind: 'message',
    at,
    entity: `zep:session/${session}`,
    relation: `memory:message:${relationPart(id)}`,
    value: { type: 'text', v: textMember(value, 'content') ?? '' },
    source: authorOf(value),
    timestamp: toldAt,
    session: `zep:${session}`,
    key: id,
  };
}

/** Older versions store the kind of role in `role_type` and a name in `role`; newer ones use `role` and `name`. */
const authorOf = (value: unknown): string => {
  const kind = textMember(value, 'role_type', 'role') ?? textMember(value, 'source') ?? 'unknown';
  const name = textMember(value, 'role_type') === undefined ? textMember(value, 'name') : textMember(value, 'role');
  return name === undefined ? `zep:${kind}` : `zep:${kind}/${name}`;
};
