import type { Conflict, Fact, FactPart, ScoredPart } from './api-types.ts';
import type {
  AnswerOf,
  BodyOf,
  CallArguments,
  Caller,
  CallOptions,
  QueryOf,
  ReplyOf,
  RouteName,
} from './call-types.ts';
import { type ClientOptions, readOptions } from './client-options.ts';
import { Connection, type Outgoing } from './connection.ts';
import type { EventMessage } from './event-message.ts';
import {
  type Assertion,
  assertionBody,
  present,
  type Retraction,
  retractionBody,
  typedValue,
  type ValueInput,
  WRITTEN_SCOPE,
} from './fact-values.ts';
import { type FollowJobOptions, followJob, type Job } from './follow-job.ts';
import { type GardenCalls, gardenCalls } from './garden-calls.ts';
import { Pages } from './pages.ts';
import { readEvents } from './read-events.ts';
import { readBody } from './read-reply.ts';
import { type SubscriptionCalls, subscriptionCalls } from './subscription-calls.ts';
import { verifyChainProof, verifyFact } from './verify-facts.ts';

/** The input of a recall. `query` or `entity` is required. */
export type RecallInput = Omit<BodyOf<'POST /v1/recall'>, 'token_budget' | 'weights'> & {
  /** Default: 4000. */
  readonly token_budget?: number | undefined;
  /** Each from 0 to 1, together 1. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
};

export type RecallReply = AnswerOf<'POST /v1/recall'>;
/** A recall with `fields`: each fact once, with the named members. */
export type RecallPart = Omit<RecallReply, 'facts' | 'content' | 'instructions'> & { facts: ScoredPart[] };
export type BatchReply = AnswerOf<'POST /v1/facts/batch'>;
export type FactPage = AnswerOf<'GET /v1/facts'>;
/** A page of a query that names `fields`. */
export type FactPartPage = Omit<FactPage, 'facts'> & { facts: FactPart[] };
export type Provenance = AnswerOf<'GET /v1/facts/{id}/provenance'>;
export type NeighborPage = AnswerOf<'GET /v1/graph/neighbors'>;
export type ConflictPage = AnswerOf<'GET /v1/conflicts'>;
export type HistoryPage = AnswerOf<'GET /v1/history/{entity_uri}'>;
export type Card = AnswerOf<'GET /v1/cards/{entity_uri}'>;
export type Resolution = AnswerOf<'POST /v1/conflicts/{id}/resolve'>;

/** The settlement of a conflict: one of its facts, or a new value. */
export type ResolutionInput = Omit<BodyOf<'POST /v1/conflicts/{id}/resolve'>, 'new_value'> & {
  readonly new_value?: ValueInput | undefined;
};

/** The members of facts in an answer. */
interface Fields {
  readonly fields: string | readonly string[];
}

type WithFields<R extends RouteName> = Omit<QueryOf<R>, 'fields'> & { readonly fields: string };

/** The usual parameters of a recall by clients of this protocol, but in all scopes: `assert` stores into `company`. */
const RECALL_DEFAULTS = {
  scope: 'global',
  token_budget: 4000,
  depth: 2,
  min_confidence: 0.1,
  include_neighbors: true,
  limit: 100,
} as const;

/**
 * A client of one node. Every method rejects with a `FactMemoryError` when the node refuses, and retries by itself if
 * that can help and does no harm.
 */
export class FactClient implements Caller {
  readonly gardens: GardenCalls;
  readonly subscriptions: SubscriptionCalls;
  readonly #connection: Connection;
  readonly #source: string | undefined;
  readonly #serviceName: string;

  /** Without options: the node that `SVC_URL` and `SVC_API_KEY` name, where the program has an environment. */
  constructor(options: ClientOptions = {}) {
    const { source, ...settings } = readOptions(options);
    this.#connection = new Connection(settings);
    this.#source = source;
    this.#serviceName = settings.serviceName;
    this.gardens = gardenCalls(this);
    this.subscriptions = subscriptionCalls(this, this.#connection);
  }

  /**
   * Calls a route by its name, for example `client.call('GET /v1/facts/{id}', { params: { id } })`, and returns its
   * body. JSON becomes a value, other text stays text, an empty body is undefined, and a stream yields its events one
   * by one.
   */
  readonly call = async <R extends RouteName>(route: R, ...input: CallArguments<R>): Promise<AnswerOf<R>> =>
    (await this.send(route, ...input)).data as AnswerOf<R>;

  /** As `call`, with the status and the headers of the reply. */
  async send<R extends RouteName>(route: R, ...[input]: CallArguments<R>): Promise<ReplyOf<R>> {
    return (await this.#connection.send({ ...input, route }, readReply)) as unknown as ReplyOf<R>;
  }

  /**
   * Sends any request, for routes of plugins that these types do not know, and for replies that are too long for one
   * piece. `path` may have parameters in braces. Returns the reply with its body unread; throws for any status but 2xx.
   */
  open(method: string, path: string, input: Omit<Outgoing, 'route'> = {}): Promise<Response> {
    return this.#connection.send({ ...input, route: `${method.toUpperCase()} ${path}` }, (response) => response);
  }

  /** Stores a fact. Repeating a fact that still holds returns the existing one. */
  assert(fact: Assertion, options?: CallOptions): Promise<Fact> {
    return this.call('POST /v1/facts', { ...options, body: assertionBody(fact, this.#source) });
  }

  /** Stores at most 1000 facts at once; each has a verdict of its own in `results`. */
  assertMany(facts: readonly Assertion[], options?: CallOptions): Promise<BatchReply> {
    const body = facts.map((fact) => assertionBody(fact, this.#source));
    return this.call('POST /v1/facts/batch', { ...options, body });
  }

  /** Ends all facts of a triple in its place, with any values. */
  retract(triple: Retraction, options?: CallOptions): Promise<Fact> {
    return this.call('POST /v1/facts', { ...options, body: retractionBody(triple, this.#source) });
  }

  /**
   * Returns facts, newest first: `for await (const fact of client.query({ entity }))`. With `fields: 'compact'`, or a
   * list of members, each fact has only those, which takes a tenth of the bytes.
   */
  query(query: WithFields<'GET /v1/facts'>, options?: CallOptions): Pages<FactPartPage, FactPart>;
  query(query?: QueryOf<'GET /v1/facts'>, options?: CallOptions): Pages<FactPage, Fact>;
  query(query: QueryOf<'GET /v1/facts'> = {}, options?: CallOptions): Pages<FactPage, Fact> {
    return new Pages({
      get: (cursor) => this.call('GET /v1/facts', { ...options, query: { ...query, ...(cursor && { cursor }) } }),
      itemsOf: ({ facts }) => facts,
      cursorOf: ({ cursor }) => cursor,
    });
  }

  /** Returns one fact by its id or content id; with `fields`, only those members of it. */
  fact(id: string, options: CallOptions & Pick<WithFields<'GET /v1/facts/{id}'>, 'fields'>): Promise<FactPart>;
  fact(id: string, options?: CallOptions): Promise<Fact>;
  fact(id: string, { fields, ...options }: CallOptions & { fields?: string } = {}): Promise<Fact> {
    const query = fields === undefined ? {} : { query: { fields } };
    return this.call('GET /v1/facts/{id}', { ...options, ...query, params: { id } });
  }

  /** Returns the facts from which a fact was derived. */
  provenance(id: string, query?: QueryOf<'GET /v1/facts/{id}/provenance'>, options?: CallOptions): Promise<Provenance> {
    return this.call('GET /v1/facts/{id}/provenance', { ...options, params: { id }, query });
  }

  /** Returns the facts about an entity in the order in which they were recorded. */
  history(
    entityUri: string,
    query: QueryOf<'GET /v1/history/{entity_uri}'> = {},
    options: CallOptions = {},
  ): Pages<HistoryPage, HistoryPage['events'][number]> {
    const params = { entity_uri: entityUri };
    return new Pages({
      get: (cursor) =>
        this.call('GET /v1/history/{entity_uri}', {
          ...options,
          params,
          query: { ...query, ...(cursor && { cursor }) },
        }),
      itemsOf: ({ events }) => events,
      cursorOf: ({ cursor }) => cursor,
    });
  }

  /**
   * Recalls the facts that matter to a question, within a budget of tokens. With `verify: 'full'` each fact is checked
   * against its content id, and the proof of the chain if the key may read it: it is null for a key without `admin` or
   * `audit.read`. A mismatch rejects with an `IntegrityError`. With `fields` each fact comes once, with only those
   * members. The client cannot verify partial facts, so `verify` together with `fields` rejects with a `TypeError`.
   */
  recall(input: RecallInput & Fields, options?: CallOptions): Promise<RecallPart>;
  recall(input: string | RecallInput, options?: CallOptions): Promise<RecallReply>;
  async recall(input: string | RecallInput, options: CallOptions = {}): Promise<RecallReply | RecallPart> {
    const given: RecallInput = typeof input === 'string' ? { query: input } : present(input);
    if (given.fields !== undefined && options.verify === 'full') {
      throw new TypeError('"fields" leave out what "verify" checks: ask for one of them');
    }
    const { token_budget = RECALL_DEFAULTS.token_budget } = given;
    const body = { ...RECALL_DEFAULTS, ...given, token_budget };
    const reply = await this.call('POST /v1/recall', { ...options, body });
    if (options.verify === 'full') {
      for (const { fact, from_card: isCard } of reply.facts) if (!isCard) await verifyFact(fact);
      if (reply.chain_proof !== null) await verifyChainProof(reply.chain_proof, this.#serviceName);
    }
    return reply;
  }

  /** Returns a summary of the facts about an entity in one scope: by default `company`, where `assert` stores. */
  card(entityUri: string, query: QueryOf<'GET /v1/cards/{entity_uri}'> = {}, options?: CallOptions): Promise<Card> {
    const inScope = { scope: WRITTEN_SCOPE, ...present(query) };
    return this.call('GET /v1/cards/{entity_uri}', { ...options, params: { entity_uri: entityUri }, query: inScope });
  }

  /** Returns the neighbours of one or several entities, nearest first. */
  neighbors(
    query: QueryOf<'GET /v1/graph/neighbors'>,
    options?: CallOptions,
  ): Pages<NeighborPage, NeighborPage['neighbors'][number]> {
    return new Pages({
      get: (cursor) =>
        this.call('GET /v1/graph/neighbors', { ...options, query: { ...query, ...(cursor && { cursor }) } }),
      itemsOf: ({ neighbors }) => neighbors,
      cursorOf: ({ next_cursor: cursor }) => cursor,
    });
  }

  /** Returns contradictions that the caller can see, newest first; the open ones by default. */
  conflicts(query: QueryOf<'GET /v1/conflicts'> = {}, options?: CallOptions): Pages<ConflictPage, Conflict> {
    return new Pages({
      get: (cursor) => this.call('GET /v1/conflicts', { ...options, query: { ...query, ...(cursor && { cursor }) } }),
      itemsOf: ({ conflicts }) => conflicts,
      cursorOf: ({ cursor }) => cursor,
    });
  }

  /** Resolves a contradiction. Rejects with a `ConflictError` for a resolved one. */
  resolve(
    conflictId: string,
    { new_value: value, ...input }: ResolutionInput,
    options?: CallOptions,
  ): Promise<Resolution> {
    const body = { ...input, ...(value === undefined ? {} : { new_value: typedValue(value) }) };
    return this.call('POST /v1/conflicts/{id}/resolve', { ...options, params: { id: conflictId }, body });
  }

  /** Returns the owner of the key and its rights. */
  me(options?: CallOptions): Promise<AnswerOf<'GET /v1/me'>> {
    return this.call('GET /v1/me', options);
  }

  /** Resolves when the node serves; rejects if it does not. Needs no key. */
  health(options?: CallOptions): Promise<AnswerOf<'GET /healthz'>> {
    return this.call('GET /healthz', options);
  }

  /**
   * Follows a job of a node to its end: `client.followJob(await client.call('POST /v1/backups'))`. Takes the id of a
   * job or a reply that names one.
   */
  followJob(job: string | { readonly job_id: string }, options?: FollowJobOptions): Promise<Job> {
    return followJob(this.#connection, typeof job === 'string' ? job : job.job_id, options);
  }
}

const readReply = async (response: Response) => {
  const { status, headers } = response;
  const isStream = /^text\/event-stream\b/.test(headers.get('content-type') ?? '');
  return { status, headers, data: isStream ? messagesOf(response) : await readBody(response) };
};

async function* messagesOf({ body }: Response): AsyncGenerator<EventMessage, void, undefined> {
  if (body === null) return;
  for await (const part of readEvents(body)) if (typeof part === 'object' && 'data' in part) yield part;
}
