import type { InboundRequest } from '../../ports/ports.ts';
import { sha256Hex } from '../crypto/sha256-digest.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { networkOf } from './refusal-delays.ts';
import { type HttpRequestInfo, httpRefused } from './request-hooks.ts';

/** Notifies plugins of a request that was refused with 401. `code` is the code of the error. */
export type ReportRefusal = (
  request: InboundRequest,
  asked: {
    readonly path: string | null;
    readonly access: HttpRequestInfo['access'];
    readonly presentsCredential: boolean;
  },
  code: string,
) => void;

/**
 * Creates the report. It is cheap under a flood of requests, because the digest is computed only when a handler reads
 * it.
 */
export const createRefusalReport =
  (hooks: HookCaller, clientAddress: (request: InboundRequest) => string): ReportRefusal =>
  (request, { path, access, presentsCredential }, code) => {
    if (!hooks.hasHandlers(httpRefused)) return;
    const address = clientAddress(request);
    void hooks.emit(httpRefused, {
      method: request.method,
      route: path,
      access,
      address,
      network: networkOf(address),
      code,
      presentsCredential,
      credentialDigest: () => digestOf(request.header('authorization')),
    });
  };

/**
 * Returns the digest of the token, by which the node stores its keys; without a token, the digest of the whole header.
 */
const digestOf = (header: string | undefined): string | null =>
  header === undefined || header === '' ? null : sha256Hex(BEARER.exec(header)?.[1] ?? header);

const BEARER = /^bearer (\S+)$/i;
