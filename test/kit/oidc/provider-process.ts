import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { JWK } from 'jose';
import { freePort } from '../free-port.ts';

/** Redirect addresses that match any port of this machine (RFC 8252). */
export const REDIRECT_URIS = [
  'http://127.0.0.1/callback',
  'http://127.0.0.1/console/signed-in',
  'http://127.0.0.1/oauth/signed-in',
];

export interface ProviderOptions {
  /** Private keys. The first suitable key signs. */
  readonly keys: readonly JWK[];
  readonly algorithm: string;
  readonly clientId: string;
}

/** An OpenID Connect provider in its own process, because its library prints warnings on old versions of Node.js. */
export interface ProviderProcess {
  readonly issuer: string;
  /** Stops the provider. Idempotent. */
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('provider-main.js', import.meta.url));

/** Starts a provider, optionally at the address of an earlier one. Rejects with its output when it fails to start. */
export const startProvider = async (options: ProviderOptions, issuer?: string): Promise<ProviderProcess> => {
  const address = issuer ?? `http://127.0.0.1:${await freePort()}`;
  const env = { ...process.env, PROVIDER_OPTIONS: JSON.stringify({ ...options, issuer: address }) };
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  const ended = once(child, 'close');
  const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), ended.then(() => false)]);
  if (!isReady) throw new Error(`the provider has not started: ${errors.slice(-2_000)}`);
  return {
    issuer: address,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
