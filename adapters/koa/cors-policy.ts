import { randomUUID } from 'node:crypto';
import cors from '@koa/cors';
import type { Middleware } from 'koa';
import { type CorsOptions, createOriginRule } from './allowed-origins.ts';

/**
 * Cross-origin rules (Fetch standard), none when no origin is allowed. A page from an origin that is not allowed gets
 * no header that lets it read anything, and its preflight is a method like any other.
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

/** Adds the headers that routes add to all other replies, because a preflight reaches no route. */
const markPreflight: Middleware = async (context, next) => {
  await next();
  if (context.respond === false) return;
  context.set({ 'X-Request-Id': randomUUID(), 'X-Content-Type-Options': 'nosniff' });
};

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
