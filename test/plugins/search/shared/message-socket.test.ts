import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { MessageSocket } from '../../../../plugins/search/shared/message-socket.ts';
import { RUNS } from '../../../kit/property-runs.ts';

const asSocket = (stream: PassThrough): Socket => stream as unknown as Socket;

describe('messages over a socket', () => {
  it('arrive whole and in order, however the bytes are cut', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.anything(), { maxLength: 5 }), fc.integer({ min: 1, max: 9 }), async (sent, cut) => {
        const out = new PassThrough();
        for (const message of sent) new MessageSocket(asSocket(out)).postMessage(message);
        const bytes = (out.read() as Buffer | null) ?? Buffer.alloc(0);
        const into = new PassThrough();
        const received: unknown[] = [];
        new MessageSocket(asSocket(into)).on('message', (message) => void received.push(message));
        for (let at = 0; at < bytes.length; at += cut) into.emit('data', bytes.subarray(at, at + cut));
        expect(received).to.deep.equal(structuredClone(sent));
      }),
      { numRuns: RUNS },
    ));
});
