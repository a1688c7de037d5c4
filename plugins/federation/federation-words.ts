import { definePrincipalKind } from '../../kernel/plugin-api.ts';

export const PEER = definePrincipalKind('peer', { summary: 'another node with a peer token' });
