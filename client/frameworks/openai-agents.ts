import type { AgentInputItem, Session } from '@openai/agents-core';
import type { Fact } from '../api-types.ts';
import { freshKey, PLATFORM } from '../platform.ts';
import { encodeName, jsonValue } from './fact-names.ts';
import { type AdapterOptions, FactSlots } from './fact-slots.ts';

export type { AdapterOptions } from './fact-slots.ts';

export interface FactSessionOptions extends AdapterOptions {
  /** The name of the session, which another program may continue. Default: a new one. */
  readonly sessionId?: string | undefined;
}

const RELATION = 'session:item-';

/**
 * A session of OpenAI Agents on a node: `run(agent, input, { session })`. Each item of the conversation is a fact, in
 * the order in which the node stored them. An item that is taken back stays in the history.
 */
export class FactSession implements Session {
  readonly #slots: FactSlots;
  readonly #sessionId: string;

  constructor({ sessionId = freshKey(PLATFORM), ...options }: FactSessionOptions) {
    this.#slots = new FactSlots(options);
    this.#sessionId = sessionId;
  }

  async getSessionId(): Promise<string> {
    return this.#sessionId;
  }

  /** Returns items, oldest first. After a contested item comes a system message that names the disagreeing sources. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const facts = await this.#facts();
    const newest = limit === undefined ? facts : facts.slice(Math.max(0, facts.length - Math.max(0, limit)));
    return (await Promise.all(newest.map((fact) => this.#itemsOf(fact)))).flat();
  }

  /** Stores all items, or none of them: at most 1000 in one transaction. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    const { entity } = this;
    // A new relation for each item, because two writers at once add two items and no contradiction.
    await this.#slots.append(
      items.map((item) =>
        this.#slots.assertion({ entity, relation: `${RELATION}${freshKey(PLATFORM)}` }, jsonValue(item)),
      ),
    );
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const last = (await this.#facts()).at(-1);
    if (last === undefined) return undefined;
    await this.#end([last]);
    return itemOf(last);
  }

  async clearSession(): Promise<void> {
    await this.#end(await this.#facts());
  }

  /** The entity of the session. */
  get entity(): string {
    return `session:${encodeName(this.#sessionId)}`;
  }

  async #end(facts: readonly Fact[]): Promise<void> {
    await this.#slots.end(await Promise.all(facts.map((fact) => this.#slots.rivalsOf(fact))));
  }

  async #itemsOf(fact: Fact): Promise<AgentInputItem[]> {
    if (!fact.contradicted) return [itemOf(fact)];
    const [winner, ...rivals] = (await this.#slots.rivalsOf(fact)).map(({ source, id }) => `${source} (fact ${id})`);
    return [itemOf(fact), noteOf(`It is by ${winner}; others disagree: ${rivals.join(', ')}.`)];
  }

  async #facts(): Promise<Fact[]> {
    const { entity } = this;
    const facts = (await this.#slots.list({ entity })).filter(({ relation }) => relation.startsWith(RELATION));
    return facts.sort((one, other) => compareStamps(one.hlc, other.hlc));
  }
}

const noteOf = (sources: string) => ({
  type: 'message',
  role: 'system',
  content: `The item before is contradicted. ${sources}`,
});

const itemOf = ({ value }: Fact): AgentInputItem => JSON.parse(String(value.v)) as AgentInputItem;

/** Compares stamps, `<milliseconds>.<counter>`, as two numbers: as texts 10 comes before 9. */
const compareStamps = (one: string, other: string): number => {
  const [ms = 0, counter = 0] = one.split('.').map(Number);
  const [otherMs = 0, otherCounter = 0] = other.split('.').map(Number);
  return ms - otherMs || counter - otherCounter;
};
