import { ADAPTER_API, defineTransport, ServiceError, Transport } from '../../ports/ports.ts';
import { createOriginRule } from './allowed-origins.ts';
import { type KoaSettings, koaSettings } from './koa-settings.ts';

/** The HTTP transport adapter. It imports Koa only when the node serves or sends a request. */
export const koaAdapter = defineTransport<KoaSettings>({
  port: Transport,
  name: 'koa',
  adapterApi: ADAPTER_API,
  settings: koaSettings,
  create: async (settings, { report }) => {
    const { createKoaTransport } = await import('./koa-transport.ts');
    return createKoaTransport({ ...settings, report });
  },
  host: ({ host }) => host,
  allowsOrigin: createOriginRule,
  crossOrigin: ({ corsAllowedOrigins, corsDevLocalhost }) => ({
    configured: corsAllowedOrigins.length > 0,
    devLocalhost: corsDevLocalhost,
  }),
  inspect: async (settings) => {
    const { probeAddress } = await import('./probe-address.ts');
    try {
      await probeAddress(settings);
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { message, hint } = error;
      return [hint === undefined ? { message } : { message, hint }];
    }
  },
});
