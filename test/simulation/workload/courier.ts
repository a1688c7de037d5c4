import { encodeBase64Url } from '../../../kernel/internal-api.ts';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import type { Dice } from '../world/dice.ts';
import type { Party } from '../world/party.ts';
import type { Exchange } from '../world/virtual-network.ts';
import type { World } from '../world/world.ts';

interface Parts {
  readonly world: World;
  readonly dice: Dice;
}

export interface Courier {
  /** Pushes facts of the giver to the taker, wherever they came from. */
  push(giver: Party, taker: Party, facts: readonly unknown[]): Promise<unknown>;
  /** Requests the next page from the giver, after the last one, and pushes it to the taker. */
  carry(giver: Party, taker: Party): Promise<void>;
}

/**
 * Carries facts between nodes by push, like an implementation without pulls. It requests a page from the giver as the
 * taker, and pushes it to the taker as the giver. The taker may know the facts already.
 */
export const createCourier = ({ world, dice }: Parts): Courier => {
  const cursors = new Map<string, string>();
  const tokenOf = (from: Party, to: Party): string | undefined => {
    const identity = from.node?.kernel.get(NodeIdentity);
    if (identity === undefined) return undefined;
    const now = from.clock.wallMs();
    const claims = { iss: from.nodeId, sub: to.nodeId, iat: now, exp: now + 60_000, nonce: dice.random.uuid() };
    const text = [{ alg: 'EdDSA', typ: 'JWT' }, claims].map((part) => segment(JSON.stringify(part))).join('.');
    return `${text}.${encodeBase64Url(identity.sign(Buffer.from(text)))}`;
  };
  const ask = async (from: Party, to: Party, request: object): Promise<Exchange | undefined> => {
    const token = tokenOf(from, to);
    if (token === undefined || to.node === undefined) return undefined;
    const headers = [
      ['Authorization', `Bearer ${token}`],
      ['Content-Type', 'application/json'],
    ];
    return world.network.carry(from.url, to.url, {
      ...(request as { method: string; target: string }),
      headers,
    } as never);
  };
  const push = (giver: Party, taker: Party, facts: readonly unknown[]): Promise<Exchange | undefined> => {
    const body = Buffer.from(JSON.stringify({ facts }));
    return ask(giver, taker, { method: 'POST', target: '/v1/federation/facts/push', body });
  };
  const carry = async (giver: Party, taker: Party): Promise<void> => {
    const name = `${giver.name} ${taker.name}`;
    const since = dice.comes(0.8) ? cursors.get(name) : undefined;
    const query = `limit=${dice.pick([3, 20, 100])}${since === undefined ? '' : `&cursor=${since}`}`;
    const page = await ask(taker, giver, { method: 'GET', target: `/v1/federation/facts?${query}` });
    if (page?.status !== 200) return;
    const { facts, cursor } = JSON.parse(Buffer.from(page.body).toString());
    if (facts.length === 0) return;
    const pushed = await push(giver, taker, facts);
    if (pushed?.status === 202 && cursor !== null) cursors.set(name, cursor);
  };
  return { push, carry };
};

const segment = (text: string): string => encodeBase64Url(Buffer.from(text));
