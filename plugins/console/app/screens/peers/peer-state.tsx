import type { AnswerOf } from '../../../../../client/client.ts';
import { useTexts } from '../../kit/use-texts.ts';

export type Peer = AnswerOf<'GET /v1/federation/peers'>['peers'][number];

const CLASS = { pending_verification: 'warn', active: 'good', rejected: 'bad', revoked: '' } as const;

export const PeerState = ({ status }: Pick<Peer, 'status'>) => (
  <span class={`tag ${CLASS[status]}`}>{useTexts().peers.states[status]}</span>
);
