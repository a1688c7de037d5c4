import { defineRef } from '../../ports/ports.ts';
import type { CursorCodec } from './page-cursor.ts';

/** The codec for page cursors, authenticated with the store's own secret and bound to caller, route and filters. */
export const Cursors = defineRef<CursorCodec>('kernel.cursors');
