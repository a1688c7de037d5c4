import type { Peering } from '../../../../plugins/federation/peerings/peering.ts';
import type { OutboundReply } from '../../../../ports/ports.ts';
import type { LoopbackNetwork } from '../../../fakes/loopback-network.ts';
import { peeringFor } from '../ingest-stand.ts';

export interface PullSeen {
  readonly scope: string;
  readonly cursor: string | null;
  readonly limit: number;
  readonly token: string;
}

type Reply = OutboundReply | Promise<OutboundReply>;

/** A fake peer whose replies to pulls the test controls. */
export interface ScriptedPeer {
  readonly peering: Peering;
  readonly pulls: PullSeen[];
  /** The facts that the peer serves by default. The entry at index n has the stamp `<1000 + n>.0`. */
  readonly feed: { readonly scope: string }[];
  epoch: string | undefined;
  answer: (seen: PullSeen) => Reply;
  page(seen: PullSeen): Record<string, unknown>;
}

export const reply = (body: unknown, status = 200, headers: Record<string, string> = {}): OutboundReply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const FIRST_STAMP_MS = 1_000;

export const startScriptedPeer = async (network: LoopbackNetwork, number = 1): Promise<ScriptedPeer> => {
  const nodeUrl = `https://p${number}.test`;
  const peer: ScriptedPeer = {
    peering: peeringFor(['public'], { peerId: `peer-${number}`, nodeId: `svc://p${number}.test`, nodeUrl }),
    pulls: [],
    feed: [],
    epoch: 'first',
    answer: (seen) => reply(peer.page(seen)),
    page({ scope, cursor, limit }) {
      const start = cursor === null ? 0 : Math.max(0, Number(cursor.split('.')[0]) - FIRST_STAMP_MS + 1);
      const end = Math.min(peer.feed.length, start + limit);
      const head = `${FIRST_STAMP_MS + Math.max(end, 1) - 1}.0`;
      return {
        facts: peer.feed.slice(start, end).filter((fact) => fact.scope === scope),
        cursor: peer.feed.length === 0 ? null : head,
        has_more: end < peer.feed.length,
        epoch: peer.epoch,
      };
    },
  };
  await network.transport(nodeUrl).serve({
    endpoints: [
      {
        method: 'GET',
        path: '/v1/federation/facts',
        handle: async (request) => {
          const query = new URLSearchParams(request.query);
          const seen = {
            scope: query.get('scope') ?? '',
            cursor: query.get('cursor'),
            limit: Number(query.get('limit')),
            token: request.header('authorization') ?? '',
          };
          peer.pulls.push(seen);
          return peer.answer(seen);
        },
      },
    ],
    unmatched: async () => reply({}, 404),
  });
  return peer;
};
