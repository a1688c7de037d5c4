import { type InboundRequest, ServiceError } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import { objectSchema } from '../schemas/object-schema.ts';
import { compileSchema } from '../schemas/schema-validator.ts';
import { readBodyItems, readItem } from './body-items.ts';
import { compileQueryReader } from './read-query.ts';
import type { BodyItem, Route } from './route-definition.ts';
import { budgetFor } from './scan-json.ts';
import { parseStrictJson } from './strict-json.ts';

/** The maximum body size of a route with `bodyLimit: 'bulk'`. */
export const BULK_BODY_BYTES = 16 * 1024 * 1024;
/** The maximum body size of a route with `bodyLimit: 'small'`, unless the configured limit is lower. */
export const SMALL_BODY_BYTES = 64 * 1024;

/**
 * Reads the body of a route: type (415), size (413), syntax (400), number of members (413) and schema (422), in this
 * order. A route without a schema takes no body. It refuses a body like any other undeclared member, or ignores it with
 * `undeclared: 'ignored'`.
 */
export const compileBodyReader = (
  // biome-ignore lint/suspicious/noExplicitAny: a route of any shape
  route: Route<any, any, any>,
  maxBodyBytes: number,
  { undeclared }: { readonly undeclared: 'refused' | 'ignored' },
): ((request: InboundRequest) => Promise<unknown> | undefined) | undefined => {
  const maxBytes = limitOf(route, maxBodyBytes);
  if (route.bodyForm === 'items') return compileItemReader(route.itemSchema, maxBytes);
  if (route.bodyForm === 'form') return compileFormReader(route.body, maxBytes, undeclared);
  if (route.body === undefined) return undeclared === 'refused' ? compileAbsenceReader(maxBytes) : undefined;
  const check = compileSchema(route.body);
  return async (request) => {
    const bytes =
      takenType(request, false) === undefined ? await noBytes(request, false) : await request.body(maxBytes);
    if (bytes.length > 0) return check(parseStrictJson(bytes, 'body', budgetFor(maxBytes)), 'body');
    if (route.bodyOptional === true) return check({}, 'body');
    throw new ServiceError('malformed_json', 'this request needs a JSON body');
  };
};

const limitOf = ({ bodyLimit }: Pick<Route, 'bodyLimit'>, maxBodyBytes: number): number => {
  if (bodyLimit === 'bulk') return BULK_BODY_BYTES;
  return bodyLimit === 'small' ? Math.min(SMALL_BODY_BYTES, maxBodyBytes) : maxBodyBytes;
};

/** Returns a reader that checks each item on its own, and passes a refusal on as the item's error. */
const compileItemReader = (item: Schema<unknown> | undefined, maxBytes: number) => {
  const check = item === undefined ? undefined : compileSchema(item);
  return async (request: InboundRequest): Promise<readonly BodyItem[]> => {
    const type = takenType(request, true);
    const bytes = type === undefined ? await noBytes(request, true) : await request.body(maxBytes);
    const items = readBodyItems(bytes, type === NDJSON ? 'lines' : 'array', budgetFor(maxBytes));
    if (check === undefined) return items;
    return items.map((item, at) => ('error' in item ? item : readItem(() => check(item.value, `body[${at}]`))));
  };
};

/** Returns a reader for an HTML form. It reads the body by the rules of a query. */
const compileFormReader = (
  body: Schema<unknown> | undefined,
  maxBytes: number,
  others: 'refused' | 'ignored',
): ((request: InboundRequest) => Promise<unknown>) => {
  const read = compileQueryReader(body, { others, place: 'body' });
  return async (request) => {
    if (mediaTypeOf(request.header('content-type') ?? '') === FORM) {
      return read(Buffer.from(await request.body(maxBytes)).toString('latin1'));
    }
    if (!(await hasBody(request))) return read('');
    throw new ServiceError('unsupported_media_type', `a body must be a form of type ${FORM}`);
  };
};

/** Returns a reader for routes without a body. It costs nothing without a body. An empty object counts as no body. */
const compileAbsenceReader = (maxBytes: number) => {
  const check = compileSchema(objectSchema<object>({}));
  return (request: InboundRequest): Promise<undefined> | undefined => {
    if (declaresNoBody(request)) return undefined;
    const read = takenType(request, false) === undefined ? noBytes(request, false) : request.body(maxBytes);
    return read.then((bytes) => {
      if (bytes.length > 0) check(parseStrictJson(bytes, 'body', budgetFor(maxBytes)), 'body');
      return undefined;
    });
  };
};

const declaresNoBody = (request: InboundRequest): boolean =>
  (request.header('content-length') ?? '0') === '0' && request.header('transfer-encoding') === undefined;

/** Returns the media type of a body to read; undefined for a body that is not read. */
const takenType = (request: InboundRequest, takesLines: boolean): string | undefined => {
  const type = sentType(request, takesLines);
  const coding = request.header('content-encoding');
  return coding === undefined || /^identity$/i.test(coding) ? type : undefined;
};

/** Returns the media type of the request, if the route accepts it. */
const sentType = (request: InboundRequest, takesLines: boolean): string | undefined => {
  const header = request.header('content-type');
  const type = header === undefined ? undefined : mediaTypeOf(header);
  return type !== undefined && (JSON_TYPE.test(type) || (takesLines && type === NDJSON)) ? type : undefined;
};

/** Accepts an absent body of any type, because a type without a body means nothing. Refuses any other body. */
const noBytes = async (request: InboundRequest, takesLines: boolean): Promise<Uint8Array> => {
  if (!(await hasBody(request))) return new Uint8Array();
  const isTaken = sentType(request, takesLines) !== undefined;
  const wanted = takesLines ? `application/json or ${NDJSON}` : 'application/json';
  const problem = isTaken
    ? 'a body must be sent without Content-Encoding'
    : `a body must be UTF-8 text of type ${wanted}`;
  const hint = isTaken ? 'leave the header Content-Encoding out' : 'send the header Content-Type: application/json';
  throw new ServiceError('unsupported_media_type', problem, { hint });
};

const hasBody = async (request: InboundRequest): Promise<boolean> => {
  const length = request.header('content-length');
  if (length !== undefined) return Number(length) !== 0;
  // Reads a chunked body, which may turn out to be empty.
  return request.body(0).then(
    () => false,
    () => true,
  );
};

/** Returns type and subtype in lower case; undefined for an invalid media type and for a charset other than UTF-8. */
const mediaTypeOf = (header: string): string | undefined => {
  if (header === 'application/json') return header;
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || UTF_8.test(charset) ? type.trim() : undefined;
};

const JSON_TYPE = /^application\/(?:json|[a-z0-9!#$&^_.-]+\+json)$/;
const NDJSON = 'application/x-ndjson';
const FORM = 'application/x-www-form-urlencoded';
const UTF_8 = /^charset=(?:utf-?8|us-ascii|"utf-?8")$/;
