import { type Schema, schema } from '../../ports/ports.ts';

/** The address of the node, and the origins whose pages may call it. */
export interface KoaSettings {
  readonly host: string;
  readonly port: number;
  readonly corsAllowedOrigins: readonly string[];
  readonly corsDevLocalhost: boolean;
  readonly compression: boolean;
}

export const koaSettings: Schema<KoaSettings> = schema<KoaSettings>({
  type: 'object',
  required: ['host', 'port', 'corsAllowedOrigins', 'corsDevLocalhost', 'compression'],
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '127.0.0.1',
      env: 'SVC_HOST',
      description: 'address to listen on; a container sets 0.0.0.0',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
      default: 8765,
      env: 'SVC_PORT',
      description: 'port to listen on; 0 takes a free one',
    },
    corsAllowedOrigins: {
      type: 'array',
      items: { type: 'string', format: 'origin' },
      default: [],
      env: 'SVC_CORS_ALLOWED_ORIGINS',
      description: 'origins whose pages may call the node, app://obsidian.md for example',
    },
    corsDevLocalhost: {
      type: 'boolean',
      default: false,
      env: 'SVC_CORS_DEV_LOCALHOST',
      description: 'lets pages of localhost and 127.0.0.1 call the node, on any port',
    },
    compression: {
      type: 'boolean',
      default: true,
      env: 'SVC_COMPRESSION',
      description:
        'compresses long replies for clients that accept it; false leaves it to a proxy in front of the node',
    },
  },
});
