import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import type { Middleware } from 'koa';
import { maskName } from '../../ports/ports.ts';
import { type CorsOptions, createOriginRule } from './allowed-origins.ts';

/**
 * Returns the middleware for cross-origin requests (Fetch standard), none when no origin is allowed. A page from
 * another origin gets no header that lets it read a reply. Its preflight is refused like any method that is not served.
 */
export const createCorsPolicy = (options: CorsOptions): readonly Middleware[] => {
  if (options.corsAllowedOrigins.length === 0 && !options.corsDevLocalhost) return [];
  const isAllowed = createOriginRule(options);
  const policy = cors({
    origin: (context) => {
      const origin = context.get('Origin');
      return isAllowed(origin) ? origin : '';
    },
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: EXPOSED,
    maxAge: 600,
  });
  return [markPreflight, policy];
};

/** Adds the headers that routes add to other replies, because no route handles a preflight. */
const markPreflight: Middleware = async (context, next) => {
  await next();
  if (context.respond === false) return;
  // The preflight repeats header names in its reply, and a page may have put a key there.
  const named = context.res.getHeader('Access-Control-Allow-Headers');
  if (typeof named === 'string')
    context.set('Access-Control-Allow-Headers', named.split(',').map(maskHeader).join(','));
  context.set({ 'X-Request-Id': randomUUID(), 'X-Content-Type-Options': 'nosniff' });
};

const maskHeader = (name: string): string => maskName(name.trim());

const EXPOSED = [
  'X-Request-Id',
  'X-Total-Count',
  'X-Truncated',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Idempotency-Replayed',
];
