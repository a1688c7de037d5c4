import type {
  BaseStore,
  GetOperation,
  Item,
  ListNamespacesOperation,
  Operation,
  OperationResults,
  PutOperation,
  SearchItem,
  SearchOperation,
} from '@langchain/langgraph-checkpoint';
import type { Fact } from '../api-types.ts';
import { decodeName, encodeName, jsonValue } from './fact-names.ts';
import { type AdapterOptions, FactSlots, type Rival, rivalOf, type Slot } from './fact-slots.ts';
import { checkNamespace, fitsFilter, fitsPath } from './langgraph-rules.ts';

export type { AdapterOptions, Rival } from './fact-slots.ts';

type Json = Item['value'];

/** An item of the store. `contradictions` lists all live values of a contested key, its own first. */
export interface FactItem extends SearchItem {
  contradictions?: readonly Rival<Json>[];
}

const SCHEME = 'langgraph:';
const RELATION = 'langgraph:item';
const DEFAULT_LIMIT = 10;
/** A recall with the highest limits of a node. */
const WHOLE_RECALL = { depth: 0, lambda_mmr: 1, min_confidence: 0, limit: 500, token_budget: 200_000 } as const;

/**
 * A LangGraph store on a node: `builder.compile({ store })`. Each item is a fact. `put` ends the older value, which
 * stays in the history. A key for which several sources hold different values has `contradictions` in its item.
 */
export class LangGraphStore implements BaseStore {
  readonly #slots: FactSlots;

  constructor(options: AdapterOptions) {
    this.#slots = new FactSlots(options);
  }

  /** Reads see the state before the writes of the batch. Of several writes of a key the last one counts. */
  async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const writes = new Map<string, PutOperation>();
    for (const operation of operations) {
      if ('namespace' in operation) checkNamespace(operation.namespace);
      if ('value' in operation) writes.set(slotOf(operation).entity, operation);
    }
    const results = await Promise.all(operations.map((operation) => this.#read(operation)));
    await Promise.all([...writes.values()].map((operation) => this.#write(operation)));
    return results as unknown as OperationResults<Op>;
  }

  async get(namespace: string[], key: string): Promise<FactItem | null> {
    return this.#get({ namespace, key });
  }

  /** With a query: the items that fit it, best first. Without one: all items, newest first. */
  async search(namespacePrefix: string[], options: Omit<SearchOperation, 'namespacePrefix'> = {}): Promise<FactItem[]> {
    return this.#search({ ...options, namespacePrefix });
  }

  async put(namespace: string[], key: string, value: Json, _index?: false | string[]): Promise<void> {
    checkNamespace(namespace);
    if (namespace[0] === 'langgraph') throw new TypeError('the first label of a namespace cannot be "langgraph"');
    await this.#write({ namespace, key, value });
  }

  async delete(namespace: string[], key: string): Promise<void> {
    await this.#write({ namespace, key, value: null });
  }

  /** Returns the namespaces that hold an item. */
  async listNamespaces(options: Parameters<BaseStore['listNamespaces']>[0] = {}): Promise<string[][]> {
    const { prefix, suffix, maxDepth, limit = 100, offset = 0 } = options;
    const matchConditions = [
      ...(prefix === undefined ? [] : [{ matchType: 'prefix' as const, path: prefix }]),
      ...(suffix === undefined ? [] : [{ matchType: 'suffix' as const, path: suffix }]),
    ];
    return this.#list({ matchConditions, limit, offset, ...(maxDepth === undefined ? {} : { maxDepth }) });
  }

  start(): void {}

  stop(): void {}

  #read(operation: Operation): Promise<FactItem | FactItem[] | string[][] | null | undefined> {
    if ('value' in operation) return Promise.resolve(undefined);
    if ('namespacePrefix' in operation) return this.#search(operation);
    return 'key' in operation ? this.#get(operation) : this.#list(operation);
  }

  async #get(operation: GetOperation): Promise<FactItem | null> {
    checkNamespace(operation.namespace);
    const winner = await this.#slots.read(slotOf(operation));
    return winner === undefined ? null : this.#itemOf(winner);
  }

  async #write({ value, ...place }: PutOperation): Promise<void> {
    checkNamespace(place.namespace);
    const slot = slotOf(place);
    if (value !== null) await this.#slots.write(slot, jsonValue(value));
    else await this.#slots.end([await this.#slots.readAll(slot)]);
  }

  async #search({ namespacePrefix, filter = {}, limit = DEFAULT_LIMIT, offset = 0, query }: SearchOperation) {
    if (namespacePrefix.length > 0) checkNamespace(namespacePrefix);
    const prefix = `${SCHEME}${namespacePrefix.map((label) => `${encodeName(label)}/`).join('')}`;
    const found = query ? await this.#recalled(query, prefix) : await this.#listed(prefix);
    const items: FactItem[] = [];
    for (const { fact, score } of found) {
      if (items.length >= offset + limit) break;
      const item = await this.#itemOf(fact);
      const fits = Object.entries(filter).every(([name, wanted]) => fitsFilter(item.value[name], wanted));
      if (fits) items.push(score === undefined ? item : { ...item, score });
    }
    return items.slice(offset);
  }

  async #listed(prefix: string): Promise<{ fact: Fact; score?: number }[]> {
    const facts = await this.#slots.list({ relation: RELATION });
    return facts.filter(({ entity }) => entity.startsWith(prefix)).map((fact) => ({ fact }));
  }

  /** Returns the winner of each slot that a recall found, best first. */
  async #recalled(query: string, prefix: string): Promise<{ fact: Fact; score?: number }[]> {
    const asked = { query, scope: this.#slots.recallScope, relation: RELATION, entities: [`${prefix}*`] };
    const reply = await this.#slots.client.recall({ ...WHOLE_RECALL, ...asked, include_contradicted: true });
    const found = new Map<string, { fact: Fact; score: number }>();
    for (const { fact: best, score, also_ids: equal = [] } of reply.facts) {
      // A recall returns equal values of several keys as one fact, with the ids of the others.
      const others = await Promise.all(equal.map((id) => this.#slots.client.fact(id)));
      for (const fact of [best, ...others]) {
        if (!this.#slots.holds(fact) || found.has(fact.entity)) continue;
        const { entity, relation } = fact;
        const winner = fact.contradicted ? await this.#slots.read({ entity, relation }) : fact;
        if (winner !== undefined) found.set(entity, { fact: winner, score });
      }
    }
    return [...found.values()];
  }

  async #list({ matchConditions = [], maxDepth, limit, offset = 0 }: ListNamespacesOperation): Promise<string[][]> {
    const found = new Map<string, string[]>();
    for (const { entity } of await this.#slots.list({ relation: RELATION })) {
      const { namespace } = placeOf(entity);
      if (!matchConditions.every((condition) => fitsPath(namespace, condition))) continue;
      const cut = namespace.slice(0, maxDepth);
      found.set(cut.join(':'), cut);
    }
    const sorted = [...found].sort(([one], [other]) => one.localeCompare(other));
    return sorted.map(([, namespace]) => namespace).slice(offset, limit === undefined ? undefined : offset + limit);
  }

  async #itemOf(winner: Fact): Promise<FactItem> {
    const at = new Date(winner.timestamp);
    const item = { ...placeOf(winner.entity), value: jsonOf(winner), createdAt: at, updatedAt: at };
    if (!winner.contradicted) return item;
    const rivals = await this.#slots.rivalsOf(winner);
    return { ...item, contradictions: rivals.map((fact) => rivalOf(fact, jsonOf(fact))) };
  }
}

const slotOf = ({ namespace, key }: GetOperation): Slot => ({
  entity: `${SCHEME}${[...namespace, key].map(encodeName).join('/')}`,
  relation: RELATION,
});

const placeOf = (entity: string): GetOperation => {
  const parts = entity.slice(SCHEME.length).split('/').map(decodeName);
  return { namespace: parts.slice(0, -1), key: parts.at(-1) ?? '' };
};

/** Returns the value of an item. A value that no adapter wrote is wrapped, so that it stays visible. */
const jsonOf = ({ value: { v } }: Fact): Json => {
  try {
    const value: unknown = JSON.parse(String(v));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Falls through, because the value may be any text.
  }
  return { value: v };
};
