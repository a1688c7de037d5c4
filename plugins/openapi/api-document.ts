import type { Components } from '../../kernel/internal-api.ts';
import type { JsonSchema } from '../../kernel/plugin-api.ts';

/** The description of the API as OpenAPI 3.1, with the parts of the format that this node uses. */
export interface ApiDocument {
  readonly openapi: '3.1.0';
  readonly jsonSchemaDialect: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  /** One tag for each plugin, in the order of their names. */
  readonly tags: readonly ApiTag[];
  /** Operations by path, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Components;
    readonly responses: Readonly<Record<string, ApiAnswer>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface ApiTag {
  readonly name: string;
  readonly description: string;
}

export interface ApiOperation {
  readonly operationId: string;
  /** The plugin of the route. */
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  /** The permissions of which a caller needs one. */
  readonly 'x-permissions'?: readonly string[];
  /** The quota that a request counts against. */
  readonly 'x-dimension'?: string;
  readonly security: readonly Readonly<Record<string, readonly []>>[];
  readonly parameters?: readonly ApiParameter[];
  readonly requestBody?: ApiBody;
  /** Answers by status. `default` is the problem document. */
  readonly responses: Readonly<Record<string, ApiAnswer | Reference>>;
}

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ApiBody {
  readonly required: boolean;
  readonly content: MediaTypes;
}

export type MediaTypes = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

export interface ApiAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: MediaTypes;
  /** Only on the problem document: every error code of this node. */
  readonly 'x-error-codes'?: readonly { readonly code: string; readonly status: number; readonly summary: string }[];
}

export interface Reference {
  readonly $ref: string;
}

export interface SecurityScheme {
  readonly type: 'http' | 'apiKey';
  readonly scheme?: 'bearer';
  readonly in?: 'header';
  readonly name?: string;
  readonly description: string;
}
