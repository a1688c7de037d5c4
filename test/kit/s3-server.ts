import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Kept {
  readonly body: Buffer;
  readonly tag: string;
  readonly digest?: string | undefined;
}

interface Upload {
  readonly key: string;
  readonly parts: Map<number, Kept>;
  readonly digest?: string | undefined;
}

/**
 * A fault that a test requests: the server never answers, cuts the connection, flips a bit of the received body, or
 * cuts its reply.
 */
export type Fault = 'silence' | 'cut' | 'corrupt' | 'cut-reply' | undefined;

/** The part of S3 that backups use, in memory, with the faults of networks and of hostile servers. */
export interface S3Server {
  readonly url: string;
  /** Objects by key. A test may put any key in. */
  readonly objects: Map<string, Kept>;
  readonly uploads: Map<string, Upload>;
  /** Ends of locks by key, in milliseconds since the epoch. */
  readonly locks: Map<string, number>;
  /** Requests so far, as `PUT key?query`. */
  readonly requests: string[];
  /** True for a server that encrypts with keys of its own, so that tags of parts are no digests. */
  encrypts: boolean;
  /** Called for each request. */
  fault: (request: { readonly method: string; readonly key: string; readonly query: URLSearchParams }) => Fault;
  put(key: string, text: string): void;
  close(): Promise<void>;
}

export const S3_BUCKET = 'kept';

const KEY_OF_SERVER = Buffer.from('a key');

const tagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const sum = (body: Buffer): string => createHash('sha256').update(body).digest('base64');

class S3Handler {
  readonly objects: S3Server['objects'] = new Map();
  readonly uploads: S3Server['uploads'] = new Map();
  readonly locks: S3Server['locks'] = new Map();
  readonly requests: string[] = [];
  encrypts = false;
  fault: S3Server['fault'] = () => undefined;

  put(key: string, text: string): void {
    this.objects.set(key, { body: Buffer.from(text), tag: tagOf(Buffer.from(text)) });
  }

  async handle(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://s3');
    const [, bucket = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const method = request.method ?? '';
    const query = url.searchParams;
    this.requests.push(`${method} ${key}${url.search}`);
    const body = await buffer(request);
    const fault = this.fault({ method, key, query });
    if (fault === 'silence') return;
    if (fault === 'cut') {
      request.socket.destroy();
      return;
    }
    if (fault === 'corrupt' && body.length > 0) body[0] = (body[0] ?? 0) ^ 1;
    if (bucket !== S3_BUCKET) {
      fail(reply, 404, 'NoSuchBucket');
      return;
    }
    if (method === 'PUT') {
      this.#store(key, query, body, request, reply);
      return;
    }
    if (method === 'POST') {
      this.#upload(key, query, request, reply, fault);
      return;
    }
    if (method === 'DELETE') {
      this.#remove(key, query, reply);
      return;
    }
    if (query.has('list-type') || query.has('versions')) {
      this.#list(query, reply);
      return;
    }
    if (query.has('uploads') || query.has('uploadId')) {
      this.#listUploads(query, reply);
      return;
    }
    this.#read(key, request, reply, fault);
  }

  #store(key: string, query: URLSearchParams, body: Buffer, request: IncomingMessage, reply: ServerResponse): void {
    const stated = request.headers['x-amz-checksum-sha256'];
    if (stated !== undefined && stated !== sum(body)) {
      fail(reply, 400, 'BadDigest');
      return;
    }
    const kept = { body, tag: this.encrypts ? tagOf(Buffer.concat([body, KEY_OF_SERVER])) : tagOf(body) };
    const sealed = this.encrypts ? { 'x-amz-server-side-encryption': 'aws:kms' } : {};
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (query.has('uploadId') && upload === undefined) {
      fail(reply, 404, 'NoSuchUpload');
      return;
    }
    if (upload === undefined) this.objects.set(key, kept);
    else upload.parts.set(Number(query.get('partNumber')), kept);
    reply.writeHead(200, { ETag: kept.tag, 'x-amz-checksum-sha256': sum(body), ...sealed }).end();
  }

  #upload(key: string, query: URLSearchParams, request: IncomingMessage, reply: ServerResponse, fault: Fault): void {
    if (query.has('uploads')) {
      const id = randomUUID();
      const digest = request.headers['x-amz-meta-sha256'] as string | undefined;
      this.uploads.set(id, { key, parts: new Map(), digest });
      xml(reply, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
      return;
    }
    const id = query.get('uploadId') ?? '';
    const upload = this.uploads.get(id);
    if (upload === undefined) {
      fail(reply, 404, 'NoSuchUpload');
      return;
    }
    const parts = [...upload.parts].sort(([one], [other]) => one - other).map(([, part]) => part.body);
    this.objects.set(key, {
      body: Buffer.concat(parts),
      tag: `"${'0'.repeat(32)}-${parts.length}"`,
      digest: upload.digest,
    });
    this.uploads.delete(id);
    if (fault === 'cut-reply') {
      request.socket.destroy();
      return;
    }
    xml(reply, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  }

  #remove(key: string, query: URLSearchParams, reply: ServerResponse): void {
    const id = query.get('uploadId');
    if (id !== null) this.uploads.delete(id);
    else if ((this.locks.get(key) ?? 0) > Date.now()) {
      fail(reply, 403, 'AccessDenied');
      return;
    } else this.objects.delete(key);
    reply.writeHead(204).end();
  }

  #list(query: URLSearchParams, reply: ServerResponse): void {
    const found = [...this.objects].filter(([key]) => key.startsWith(query.get('prefix') ?? '')).sort();
    if (query.has('versions')) {
      const rows = found.map(([key]) => `<Version><Key>${escaped(key)}</Key><VersionId>null</VersionId></Version>`);
      xml(reply, `<ListVersionsResult>${rows.join('')}</ListVersionsResult>`);
      return;
    }
    // Pages of two, so that every list takes several requests.
    const from = Number(query.get('continuation-token') ?? 0);
    const rows = found
      .slice(from, from + 2)
      .map(([key, { body }]) => `<Contents><Key>${escaped(key)}</Key><Size>${body.length}</Size></Contents>`);
    const isMore = found.length > from + 2;
    const more = `<IsTruncated>${isMore}</IsTruncated><NextContinuationToken>${from + 2}</NextContinuationToken>`;
    xml(reply, `<ListBucketResult>${rows.join('')}${more}</ListBucketResult>`);
  }

  #listUploads(query: URLSearchParams, reply: ServerResponse): void {
    const id = query.get('uploadId');
    if (id === null) {
      const rows = [...this.uploads]
        .filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
        .map(([one, { key }]) => `<Upload><Key>${escaped(key)}</Key><UploadId>${one}</UploadId></Upload>`);
      xml(reply, `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`);
      return;
    }
    const rows = [...(this.uploads.get(id)?.parts ?? [])].map(
      ([number, { body, tag }]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag><Size>${body.length}</Size>` +
        `<ChecksumSHA256>${sum(body)}</ChecksumSHA256></Part>`,
    );
    xml(reply, `<ListPartsResult>${rows.join('')}</ListPartsResult>`);
  }

  #read(key: string, request: IncomingMessage, reply: ServerResponse, fault: Fault): void {
    const found = this.objects.get(key);
    if (found === undefined) {
      fail(reply, 404, 'NoSuchKey');
      return;
    }
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const body = found.body.subarray(from);
    const until = this.locks.get(key);
    reply.writeHead(from === 0 ? 200 : 206, {
      ETag: found.tag,
      'Content-Length': body.length,
      ...(found.digest === undefined ? {} : { 'x-amz-meta-sha256': found.digest }),
      ...(until === undefined
        ? {}
        : {
            'x-amz-object-lock-mode': 'COMPLIANCE',
            'x-amz-object-lock-retain-until-date': new Date(until).toISOString(),
          }),
    });
    if (request.method === 'HEAD') {
      reply.end();
      return;
    }
    if (fault !== 'cut-reply') {
      reply.end(body);
      return;
    }
    reply.write(body.subarray(0, Math.ceil(body.length / 2)), () => request.socket.destroy());
  }
}

const xml = (reply: ServerResponse, text: string): void => {
  reply.writeHead(200, { 'Content-Type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
};

const fail = (reply: ServerResponse, status: number, code: string): void => {
  reply.writeHead(status, { 'Content-Type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);
};

export const startS3Server = async (): Promise<S3Server> => {
  const handler = new S3Handler();
  const server = createServer((request, reply) => {
    handler.handle(request, reply).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(handler, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
};

/** The variables by which the AWS SDK finds a server of a test. */
export const s3Variables = (url: string): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL_S3: url,
  AWS_ACCESS_KEY_ID: 'AKIDTESTTESTTEST',
  AWS_SECRET_ACCESS_KEY: 'secret-of-the-bucket-0123456789',
});
