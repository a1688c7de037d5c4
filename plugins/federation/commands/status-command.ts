import { countNoun, defineCommand } from '../../../kernel/command-api.ts';
import { NodeSelf, nodePrincipal, ServiceError } from '../../../kernel/plugin-api.ts';
import { type InboundLag, type OutboundLag, type PeerLag, PeerLags, PeerRegistry } from '../federation-api.ts';
import { peerLagJson } from '../lag/peer-lag-json.ts';

/** Shows how far this node and its peers have read each other's facts. */
export const statusCommand = defineCommand({
  name: 'status',
  summary: 'how far this node and its peers have read from each other',
  description: 'Shows for each peer, scope and direction how many facts are still to come, and how old the oldest is.',
  needs: 'node',
  requires: { registry: PeerRegistry, lags: PeerLags, self: NodeSelf },
  arguments: {
    peer: { optional: true, summary: 'id of the peering or of the node; all of them without it' },
  },
  options: {
    json: { type: 'flag', summary: 'one JSON object per line' },
    tenant: { type: 'text', value: 'id', summary: 'tenant whose facts are exchanged, where the node has several' },
  },
  async run({ arguments: { peer }, options, use: { registry, lags, self }, clock, stdout, stderr, table }) {
    const actor = nodePrincipal(self.names, options.tenant);
    const all = await registry.list(actor);
    const chosen = peer === undefined ? all : all.filter(({ peerId, nodeId }) => peerId === peer || nodeId === peer);
    if (peer !== undefined && chosen.length === 0) {
      throw new ServiceError('lookup', 'no such peer', {
        hint: 'run "fact-memory-node peer list" for those there are',
      });
    }
    const found: PeerLag[] = [];
    for (const { peerId } of chosen) found.push(await lags.of(actor, peerId));
    if (options.json) {
      stdout.write(found.map((lag) => `${JSON.stringify(peerLagJson(lag))}\n`).join(''));
      return;
    }
    const nowMs = clock.nowMs();
    stdout.write(table([TITLES, ...found.flatMap((lag) => rowsOf(lag, nowMs))], { titled: true }));
    for (const line of found.flatMap((lag) => remarksOn(lag, nowMs))) stderr.write(`${line}\n`);
  },
});

const TITLES: readonly string[] = [
  'node',
  'status',
  'direction',
  'scope',
  'behind by',
  'for',
  'last',
  'next',
  'waiting',
];

const rowsOf = ({ peering: { nodeId, status }, inbound, outbound }: PeerLag, nowMs: number): string[][] => {
  const rows = [
    ...inbound.map((lag) => [nodeId, status, 'in', ...inboundCells(lag, nowMs)]),
    ...outbound.map((lag) => [nodeId, status, 'out', ...outboundCells(lag, nowMs)]),
  ];
  return rows.length > 0 ? rows : [[nodeId, status, '', '', '', '', '', '', '']];
};

const inboundCells = (lag: InboundLag, nowMs: number): string[] => [
  lag.scope,
  lag.facts === null ? '?' : factsText(lag.facts),
  lag.lagMs === null ? '?' : secondsText(lag.lagMs),
  lag.lastOkMs === null ? 'never' : `${secondsText(nowMs - lag.lastOkMs)} ago`,
  lag.nextPullMs <= nowMs ? 'now' : `in ${secondsText(lag.nextPullMs - nowMs)}`,
  lag.parked === 0 ? '' : factsText(lag.parked),
];

const outboundCells = (lag: OutboundLag, nowMs: number): string[] => [
  lag.scope,
  factsText(lag.facts),
  secondsText(lag.lagMs),
  lag.askedMs === null ? 'never' : `${secondsText(nowMs - lag.askedMs)} ago`,
  '',
  '',
];

const factsText = (count: number): string => countNoun(count, 'fact');
const secondsText = (ms: number): string => `${Math.max(0, Math.round(ms / 1_000))} s`;

/** Explains why no facts arrive from a peer, and how the operator can fix that. */
const remarksOn = (lag: PeerLag, nowMs: number): string[] => {
  const { nodeId, status } = lag.peering;
  const remarks = lag.inbound.flatMap(({ scope, failures, lastError }) =>
    lastError === null ? [] : [`${nodeId}, scope ${scope}: ${lastError}${failures > 1 ? ` (${failures} times)` : ''}.`],
  );
  if (status === 'pending_verification') {
    remarks.push(`${nodeId}: a declaration is missing; "fact-memory-node peer declare" says who does what next.`);
  }
  if (lag.quarantinedUntilMs !== null) {
    const wait = secondsText(lag.quarantinedUntilMs - nowMs);
    remarks.push(`${nodeId} brought mostly invalid facts, and nothing is taken from it for ${wait}.`);
  }
  if (lag.maxPerDay > 0 && lag.addedToday >= lag.maxPerDay) {
    remarks.push(`${nodeId} has brought the ${countNoun(lag.maxPerDay, 'fact')} that it may bring in a day.`);
  }
  return remarks;
};
