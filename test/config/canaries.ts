import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ServingNode } from '../adapters/cli/spawned-program.ts';

/** Every word that a test says has this beginning, and no name, id or digest has it. */
export const CANARY = 'Canary7f3a9c';
export const NUMBER = 736_251_948_203_771;
const ADMIN_KEY = 'backup-place-0123456789abcdef0123456789abcdef';
const WRITER = 'agent:writer';

/** The words that were said, by the route that took them. No words occur twice. */
export type Planted = ReadonlyMap<string, readonly string[]>;

interface Asked {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: replies have any shape
type Reply = any;

/** Sends a request of the administrator of a `BackupPlace`, or with another key. Fails unless the status is 2xx. */
export const ask = async (
  node: ServingNode,
  method: string,
  path: string,
  { body, headers = {}, key = ADMIN_KEY }: Asked = {},
): Promise<Reply> => {
  const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const reply = await fetch(`${node.url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...json, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await reply.text();
  expect(reply.status, `${method} ${path}: ${text}`).to.be.within(200, 299);
  return reply.headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : text;
};

const fact = (members: object = {}): object => ({
  entity: 'project:atlas',
  relation: 'memory:note',
  source: WRITER,
  scope: 'company',
  ...members,
});

/** Says something by each route that takes text. Names in `round` are new, so that it can be called again. */
export class Planting {
  readonly planted = new Map<string, string[]>();
  readonly #node: ServingNode;
  readonly #round: string;
  #key = '';

  constructor(node: ServingNode, round: string) {
    this.#node = node;
    this.#round = round;
  }

  async all(): Promise<Planted> {
    await this.#register();
    await this.#facts();
    await this.#contradiction();
    await this.#gardens();
    await this.#webhook();
    await this.#instructions();
    await this.#oauth();
    await this.#imports();
    await this.#tombstones();
    await this.#readers();
    return this.planted;
  }

  /** Returns words that nothing else says, and records by which route they are said. */
  #say(route: string): string {
    const said = this.planted.get(route) ?? [];
    const place = createHash('sha256').update(`${route} ${said.length} ${this.#round}`).digest('hex').slice(0, 10);
    const words = `${CANARY}${place}`;
    this.planted.set(route, [...said, words]);
    return words;
  }

  #post(path: string, body: object, headers: Asked['headers'] = {}): Promise<Reply> {
    return ask(this.#node, 'POST', path, { body, headers, key: this.#key });
  }

  #store(members: object, headers?: Asked['headers']): Promise<Reply> {
    return this.#post('/v1/facts', fact(members), headers);
  }

  async #register(): Promise<void> {
    this.#key = `raw-key-${randomBytes(20).toString('hex')}`;
    const permissions = ['read', 'write', 'admin'];
    const body = { raw_key: this.#key, entity_uri: WRITER, permissions, description: this.#say('a key') };
    await ask(this.#node, 'POST', '/v1/auth/keys', { body });
  }

  async #facts(): Promise<void> {
    const round = this.#round;
    const values = [
      { type: 'string', v: this.#say('a short text') },
      { type: 'text', v: `${this.#say('a longer text')} is longer than ${'words '.repeat(40)}` },
      { type: 'number', v: NUMBER },
      { type: 'ref', v: `user:${this.#say('a reference')}` },
    ];
    for (const value of values) await this.#store({ relation: `memory:of-${value.type}-${round}`, value });
    const kept = { relation: `memory:kept-${round}`, value: { type: 'string', v: this.#say('a kept reply') } };
    await this.#store(
      { ...kept, reason: this.#say('a reason') },
      { 'Idempotency-Key': this.#say('an idempotency key') },
    );
    await this.#store({ ...kept, confidence: 0, reason: this.#say('a retraction') });
    const batch = [fact({ relation: `memory:batch-${round}`, value: { type: 'string', v: this.#say('a batch') } })];
    await ask(this.#node, 'POST', '/v1/facts/batch', { body: batch, key: this.#key });
  }

  async #contradiction(): Promise<void> {
    const relation = `memory:side-${this.#round}`;
    for (const side of ['left', 'right']) {
      const value = { type: 'string', v: this.#say(`the ${side} side of a contradiction`) };
      await this.#store({ relation, value });
    }
    const { conflicts } = await ask(this.#node, 'GET', '/v1/conflicts?limit=1');
    const value = { type: 'string', v: this.#say('a settlement') };
    const settled = { new_value: value, resolution_note: this.#say('a note of a settlement') };
    await this.#post(`/v1/conflicts/${conflicts[0].conflict_id}/resolve`, settled);
  }

  async #gardens(): Promise<void> {
    const slug = `hold-${this.#round}`;
    const about = { name: this.#say('the name of a garden'), description: this.#say('a garden') };
    await this.#post('/v1/gardens', { slug, ...about, scope: 'company', quarantine: true });
    const value = { type: 'string', v: this.#say('a fact in quarantine') };
    const { id } = await this.#store({ relation: `memory:held-${this.#round}`, value, garden_id: slug });
    await this.#post(`/v1/quarantine/${id}/reject`, { reason: this.#say('a rejection') });
  }

  /** Nothing listens there, so the node keeps the events and tries again. */
  async #webhook(): Promise<void> {
    const grant = { issuer: WRITER, subject: WRITER, verb: 'subscribe', object: 'project:atlas' };
    const { token_json: token } = await this.#post('/v1/federation/capability-tokens', grant);
    const url = `http://127.0.0.1:9/${this.#say('the address of a webhook')}`;
    const body = { target: 'project:atlas', on_change: 'webhook', webhook_url: url };
    const once = { ...body, idempotency_key: this.#say('the key of a subscription') };
    const { secret } = await this.#post('/v1/subscriptions', once, { 'X-Svc-Capability': token });
    if (typeof secret === 'string') this.planted.set('the secret of a webhook', [secret]);
    const value = { type: 'string', v: this.#say('a fact that a webhook announces') };
    await this.#store({ relation: `memory:announced-${this.#round}`, value });
    const other = await this.#post('/v1/federation/capability-tokens', grant);
    const path = `/v1/federation/capability-tokens/${other.token_id}/revoke`;
    await this.#post(path, { reason: this.#say('a revoked token') });
  }

  async #instructions(): Promise<void> {
    const agent = `writer-${this.#round}`;
    const uri = `instruction:default/agent/${agent}/notes/v1`;
    const value = { type: 'text', v: `${this.#say('an instruction')} names each change` };
    await this.#store({ entity: uri, relation: 'instruction:content', value, scope: 'local' });
    const about = this.#say('the description of an instruction');
    const entries = [
      { name: 'notes', description: `${about} writing release notes`, fact_uri: uri, token_estimate: 40 },
    ];
    const at = `/v1/agents/${agent}`;
    const body = { version: 'v1', entries };
    await ask(this.#node, 'PUT', `${at}/instruction-manifest`, { body, key: this.#key });
    await this.#post(`${at}/recall-instruction`, { intent: `${this.#say('an intent')} write release notes` });
  }

  async #oauth(): Promise<void> {
    await this.#post('/oauth/register', {
      client_name: this.#say('the name of a client'),
      redirect_uris: [`https://assistant.example/${this.#say('the address of a client')}`],
      token_endpoint_auth_method: 'none',
    });
  }

  async #imports(): Promise<void> {
    const lines = `id,role\n1,${this.#say('an import')}\n`;
    const content = Buffer.from(lines).toString('base64');
    await this.#post('/v1/imports', { name: 'people.csv', content, format: 'csv', map: MAPPED });
  }

  async #tombstones(): Promise<void> {
    for (const end of ['revoke', 'erase']) {
      const entity = `user:${end}-${this.#round}`;
      const value = { type: 'string', v: `to ${end}` };
      await this.#store({ entity, relation: 'memory:note', value });
      const { id } = await this.#post('/v1/tombstones', {
        entity_uri: entity,
        reason: this.#say(`a tombstone to ${end}`),
      });
      if (end === 'erase') await this.#post(`/v1/tombstones/${id}/erase`, { confirm: entity });
      else await this.#post(`/v1/tombstones/${id}/revoke`, { reason: this.#say('the end of a tombstone') });
    }
  }

  /** Reads make rows and files too: sessions, cards, results of jobs and lines of the audit log. */
  async #readers(): Promise<void> {
    const key = this.#key;
    const headers = { 'X-Svc-Session': this.#say('the name of a session that reads') };
    await ask(this.#node, 'GET', '/v1/facts?entity=project:atlas', { headers, key });
    await this.#post('/v1/recall', { query: 'longer words', token_budget: 2_000 });
    await ask(this.#node, 'GET', '/v1/cards/project%3Aatlas?scope=company', { key });
    await ask(this.#node, 'GET', '/v1/graph/neighbors?entity=project:atlas', { key });
    await this.#post('/v1/lint', { scope: 'company', entity: 'project:atlas' });
    const { job_id: job } = await this.#post('/v1/synthesis', { scope: 'company', entity: 'project:atlas' });
    if (job !== undefined) await ask(this.#node, 'GET', `/v1/jobs/${job}`, { key });
  }
}

/** How the columns of an imported table are read. */
export const MAPPED = ['entity=user:{id}', 'relation==memory:role', 'value=role'];
