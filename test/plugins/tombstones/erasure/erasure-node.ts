import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { StoreKind } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../../kit/start-test-node.ts';
import { placeTestStore } from '../../../kit/test-store.ts';

export const VICTIM = 'user:victim';

/** A node that can be stopped and restarted on the same store, with shortcuts for erasure tests. */
export class ErasureNode {
  readonly folder: string;
  readonly #kind: StoreKind;
  #node: TestNode | undefined;
  #key = '';

  private constructor(kind: StoreKind, folder: string) {
    this.#kind = kind;
    this.folder = folder;
  }

  static async start(kind: StoreKind, options?: TestNodeOptions): Promise<ErasureNode> {
    const started = new ErasureNode(kind, await mkdtemp(join(tmpdir(), 'erasure-')));
    await started.start(options);
    return started;
  }

  get node(): TestNode {
    if (this.#node === undefined) throw new Error('the node does not run');
    return this.#node;
  }

  /** The API key of an administrator. */
  get key(): string {
    return this.#key;
  }

  async start(options: TestNodeOptions = {}): Promise<void> {
    this.#node = await startTestNode({
      folder: this.folder,
      ...options,
      env: { SVC_TOMBSTONES_ENABLED: 'true', ...options.env },
    });
    this.#key = await this.#node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read'] });
  }

  async end(): Promise<void> {
    await this.#node?.stop();
    this.#node = undefined;
  }

  async remove(): Promise<void> {
    await this.end();
    await (await placeTestStore(this.#kind, this.folder)).remove();
    await rm(this.folder, { recursive: true, force: true });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body of a reply has no type.
  async post(path: string, body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Promise<any> {
    const reply = await this.node.request('POST', path, { key: this.#key, body, headers });
    expect(reply.status, `${path} ${reply.text}`).to.equal(status);
    return reply.body ?? reply.text;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body of a reply has no type.
  async get(path: string, status = 200): Promise<any> {
    const reply = await this.node.request('GET', path, { key: this.#key });
    expect(reply.status, `${path} ${reply.text}`).to.equal(status);
    return reply.body;
  }

  async text(path: string, body: object): Promise<string> {
    const reply = await this.node.request('POST', path, { key: this.#key, body });
    expect(reply.status, reply.text).to.equal(200);
    return reply.text;
  }

  say(value: string, members: object = {}) {
    const fact = { entity: VICTIM, relation: 'memory:note', value: { type: 'text', v: value }, source: 'agent:s' };
    return this.post('/v1/facts', { ...fact, scope: 'company', ...members }, 201);
  }

  async tombstone(members: object = {}): Promise<string> {
    return (await this.post('/v1/tombstones', { entity_uri: VICTIM, ...members }, 201)).id;
  }

  erase(id: string, body: object = {}, status?: number) {
    return this.post(`/v1/tombstones/${id}/erase`, { confirm: VICTIM, ...body }, status);
  }
}
