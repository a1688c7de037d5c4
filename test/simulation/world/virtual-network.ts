import { refusalOf } from '../../../adapters/koa/judge-target.ts';
import {
  type Clock,
  type InboundReply,
  type OutboundRequest,
  ServiceError,
  type Transport,
} from '../../../ports/ports.ts';
import {
  createLoopbackNetwork,
  type LoopbackNetwork,
  type LoopbackRequest,
  readReplyBody,
} from '../../fakes/loopback-network.ts';
import type { Dice } from './dice.ts';
import { mark, type Trace } from './trace.ts';
import type { VirtualTime } from './virtual-time.ts';
import { fairWeather, type Weather } from './weather.ts';

/** A request that reached its machine, and its reply. */
export interface Exchange {
  readonly from: string;
  readonly to: string;
  readonly request: LoopbackRequest;
  /** The time at which the receiver got the request. A thread of the receiver may let time pass until it replies. */
  readonly receivedMs: number;
  readonly status: number;
  readonly body: Uint8Array;
}

export interface VirtualNetwork {
  /** Connects a process that has this clock. After `end` the process neither serves nor sends. */
  connect(url: string, clock: Clock): { readonly transport: Transport; end(): void };
  /** Returns the link between two machines, by base address; callers may modify it. */
  link(from: string, to: string): Weather;
  /** Delivers a message from a machine that is no node, at once and without faults. */
  carry(from: string, to: string, request: LoopbackRequest): Promise<Exchange>;
  /** The network of clients on the same machine, and of machines that are no nodes. */
  readonly loopback: LoopbackNetwork;
  /** Calls the listener for every exchange once its reply is known, even if the reply is lost. */
  watch(listener: (exchange: Exchange) => void): void;
}

interface Parts {
  readonly time: VirtualTime;
  readonly dice: Dice;
  readonly trace: Trace;
}

export const createVirtualNetwork = (parts: Parts): VirtualNetwork => {
  const loopback = createLoopbackNetwork();
  const links = new Map<string, Weather>();
  const watchers: ((exchange: Exchange) => void)[] = [];
  const link = (from: string, to: string): Weather => {
    const name = `${from} ${to}`;
    const known = links.get(name) ?? fairWeather();
    links.set(name, known);
    return known;
  };
  const carry = async (from: string, to: string, request: LoopbackRequest): Promise<Exchange> => {
    const receivedMs = parts.time.nowMs;
    const reply = await loopback.deliver(to, request);
    const body = await readReplyBody(reply, { method: request.method });
    const exchange = { from, to, request, receivedMs, status: reply.status, body };
    parts.trace.add(`${from} > ${to} ${request.method} ${request.target} ${reply.status} ${mark(body)}`);
    for (const watcher of watchers) watcher(exchange);
    return exchange;
  };
  return {
    link,
    carry,
    loopback,
    watch: (listener) => {
      watchers.push(listener);
    },
    connect: (url, clock) => {
      const life = { ended: false, close: () => {} };
      const send = createSender({ ...parts, link, carry, url, clock, life });
      const inner = loopback.transport(url);
      return {
        transport: {
          ...inner,
          serve: async (options) => {
            const listener = await inner.serve(options);
            life.close = () => void listener.close(0);
            return listener;
          },
          send,
          refusal: (target, rules) => refusalOf(target, rules, async () => [{ address: '8.8.8.8', family: 4 }]),
        },
        end() {
          life.ended = true;
          life.close();
        },
      };
    },
  };
};

interface SenderParts extends Parts {
  readonly url: string;
  readonly clock: Clock;
  readonly life: { readonly ended: boolean };
  link(from: string, to: string): Weather;
  carry(from: string, to: string, request: LoopbackRequest): Promise<Exchange>;
}

const createSender = (parts: SenderParts) => {
  const { time, dice, trace, url: from, clock, life, link, carry } = parts;
  return (request: OutboundRequest): Promise<InboundReply> =>
    new Promise((resolve, reject) => {
      const { origin: to, pathname, search } = new URL(request.url);
      const target = `${pathname}${search}`;
      const fail = (why: string): void => {
        if (!life.ended) reject(new ServiceError('unavailable', why));
      };
      const cancel = clock.schedule(request.timeoutMs, () => fail('no answer came in time'));
      const arrive = (exchange: Exchange): void => {
        cancel();
        if (life.ended) return;
        const torn = dice.comes(link(to, from).truncation);
        if (torn && dice.comes(0.5)) {
          fail('the answer broke off');
          return;
        }
        const body = torn ? exchange.body.subarray(0, dice.whole(0, exchange.body.length)) : exchange.body;
        if (body.length > request.maxResponseBytes && request.excess !== 'cut') fail('the answer is too large');
        resolve({
          status: exchange.status,
          header: (name) => (name.toLowerCase() === 'content-type' ? 'application/json' : undefined),
          body: body.subarray(0, request.maxResponseBytes),
        });
      };
      const travel = (one: string, other: string, then: () => void): void => {
        const weather = link(one, other);
        if (weather.cut || dice.comes(weather.loss)) {
          trace.add(`${one} > ${other} lost ${request.method} ${pathname}`);
          if (one === from && dice.comes(0.5))
            time.after(weather.leastDelayMs, () => fail('the connection was refused'));
          return;
        }
        time.after(dice.whole(weather.leastDelayMs, weather.mostDelayMs), then);
      };
      const answer = (exchange: Exchange): void => {
        if (dice.comes(link(from, to).lostAnswers)) trace.add(`${to} > ${from} lost answer ${pathname}`);
        else travel(to, from, () => arrive(exchange));
      };
      const sent: LoopbackRequest = {
        method: request.method,
        target,
        headers: Object.entries(request.headers),
        ...(request.body === undefined ? {} : { body: Buffer.from(request.body) }),
      };
      const copies = dice.comes(link(from, to).duplication) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) {
        travel(from, to, () => {
          if (life.ended) return;
          void carry(from, to, sent).then(answer, () => fail('the connection was refused'));
        });
      }
    });
};
