import { createHash } from 'node:crypto';
import type { MultipartUpload, Part } from '@aws-sdk/client-s3';
import { type ObjectContent, type ObjectWriteOptions, ServiceError } from '../../ports/ports.ts';
import { piecesOf } from './cut-pieces.ts';
import { isCorrupted, isMissing, isUnknownRequest } from './s3-errors.ts';
import type { S3Bucket } from './s3-sdk.ts';

const MIB = 1024 * 1024;
/** The usual size of a piece. Huge objects have larger ones. Several pieces are in memory at the same time. */
const PIECE_BYTES = 8 * MIB;
/** Servers accept 10,000 parts of an object. */
const MOST_PIECES = 9_000;
const AT_ONCE = 4;
/** How often a piece is sent when the server has received other bytes. */
const ATTEMPTS = 3;
/** Pages of a list of parts or uploads, of 1,000 each. */
const MOST_PAGES = 20;

/** Metadata of an object that was written in pieces: the tag or the digest of the whole. */
const DIGEST = 'sha256';

interface ObjectKey {
  readonly Bucket: string;
  readonly Key: string;
}

interface Sums {
  readonly sha256: string;
  readonly md5: string;
}

interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
  readonly ChecksumSHA256: string | undefined;
}

type Stored = Pick<Part, 'ETag' | 'ChecksumSHA256'> & { readonly ServerSideEncryption?: string | undefined };

export interface S3Writer {
  write(key: ObjectKey, content: ObjectContent, options?: ObjectWriteOptions): Promise<void>;
  /** Returns the interrupted writes below a prefix of keys, newest first. */
  uploads(prefix: string): Promise<readonly MultipartUpload[]>;
  abort(key: ObjectKey, uploadId: string | undefined): Promise<void>;
}

/** Writes objects: small ones in one request, large ones in pieces that a later write finds again by their digest. */
export const createS3Writer = (bucket: S3Bucket, pieceBytes = PIECE_BYTES): S3Writer => {
  return {
    uploads: (prefix) => listUploads(bucket, prefix),
    abort: (key, uploadId) => abort(bucket, key, uploadId),
    write: (key, content, options = {}) => {
      const size = Math.max(pieceBytes, Math.ceil(content.bytes / MOST_PIECES / MIB) * MIB);
      const written = { key, content, options };
      return content.bytes <= size ? writeWhole(bucket, written) : writeInPieces(bucket, size, written);
    },
  };
};

const abort = async ({ sdk, client }: S3Bucket, key: ObjectKey, UploadId: string | undefined): Promise<void> => {
  await client.send(new sdk.AbortMultipartUploadCommand({ ...key, UploadId })).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
};

const tagOf = ({ tag, sha256 }: ObjectContent): string => tag ?? sha256;

interface Written {
  readonly key: ObjectKey;
  readonly content: ObjectContent;
  readonly options: ObjectWriteOptions;
}

const writeWhole = async ({ sdk, client }: S3Bucket, { key, content, options }: Written): Promise<void> => {
  const total = createHash('sha256');
  for await (const piece of piecesOf(content, content.bytes + 1)) {
    if (total.update(piece).digest('hex') !== content.sha256) throw changed();
    await intact(sumsOf(piece), ({ sha256 }) =>
      client.send(
        new sdk.PutObjectCommand({
          ...key,
          Body: piece,
          ContentLength: piece.length,
          ChecksumAlgorithm: 'SHA256',
          ChecksumSHA256: sha256,
        }),
        untilAborted(options.signal),
      ),
    );
  }
  options.onProgress?.(content.bytes);
};

const writeInPieces = async (bucket: S3Bucket, size: number, { key, content, options }: Written): Promise<void> => {
  const upload = await beginUpload(bucket, key, tagOf(content));
  const total = createHash('sha256');
  const parts: SentPart[] = [];
  let pending: Promise<SentPart>[] = [];
  let bytes = 0;
  const settle = async (): Promise<void> => {
    parts.push(...(await Promise.all(pending)));
    pending = [];
    options.onProgress?.(bytes);
  };
  try {
    for await (const piece of piecesOf(content, size)) {
      options.signal?.throwIfAborted();
      total.update(piece);
      bytes += piece.length;
      const PartNumber = parts.length + pending.length + 1;
      const sent = sendPart(bucket, key, { upload, PartNumber, piece }, options.signal);
      // Its failure is reported below, and must not count as unhandled until then.
      sent.catch(() => {});
      pending.push(sent);
      if (pending.length === AT_ONCE) await settle();
    }
  } finally {
    // No request outlives the write. A failed one fails the write below.
    await Promise.allSettled(pending);
  }
  await settle();
  if (bytes !== content.bytes || total.digest('hex') !== content.sha256) {
    await abort(bucket, key, upload.UploadId);
    throw changed();
  }
  await completeUpload(bucket, key, { UploadId: upload.UploadId, parts, content });
};

/** Makes the parts an object, and checks its size. */
const completeUpload = async (
  { sdk, client }: S3Bucket,
  key: ObjectKey,
  { UploadId, parts, content }: Pick<Upload, 'UploadId'> & Pick<Written, 'content'> & { readonly parts: SentPart[] },
): Promise<void> => {
  let unknown: unknown;
  await client
    .send(new sdk.CompleteMultipartUploadCommand({ ...key, UploadId, MultipartUpload: { Parts: parts } }))
    .catch((error: unknown) => {
      // An earlier try may have succeeded although its reply was lost. Then the object is there.
      if (!isMissing(error)) throw error;
      unknown = error;
    });
  const { ContentLength, Metadata } = await client.send(new sdk.HeadObjectCommand(key)).catch((error: unknown) => {
    throw unknown ?? error;
  });
  if (unknown !== undefined && Metadata?.[DIGEST] !== tagOf(content)) throw unknown;
  if (ContentLength !== content.bytes) throw otherBytes();
};

const listUploads = async ({ sdk, client, name }: S3Bucket, prefix: string): Promise<readonly MultipartUpload[]> => {
  const found: MultipartUpload[] = [];
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed = await client
      .send(new sdk.ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...markers }))
      .catch((error: unknown) => {
        // Without this request nothing can go on, and everything is sent anew.
        if (isUnknownRequest(error)) return undefined;
        throw error;
      });
    found.push(...(listed?.Uploads ?? []));
    if (listed?.IsTruncated !== true) break;
    markers = { KeyMarker: listed.NextKeyMarker, UploadIdMarker: listed.NextUploadIdMarker };
  }
  return found.sort((one, other) => (other.Initiated?.getTime() ?? 0) - (one.Initiated?.getTime() ?? 0));
};

interface Upload {
  readonly UploadId: string | undefined;
  /** The parts that the server has, by number. */
  readonly known: ReadonlyMap<number | undefined, Part>;
  /** Resolves to true for a server that encrypts, whose tags are no digests. Undefined until a part was sent. */
  encrypts: Promise<boolean> | undefined;
}

/** Goes on with the newest interrupted upload of this object, or begins one. */
const beginUpload = async (bucket: S3Bucket, key: ObjectKey, digest: string): Promise<Upload> => {
  const { sdk, client } = bucket;
  const UploadId = (await listUploads(bucket, key.Key)).find((one) => one.Key === key.Key)?.UploadId;
  if (UploadId === undefined) {
    const Metadata = { [DIGEST]: digest };
    const begun = await client.send(
      new sdk.CreateMultipartUploadCommand({ ...key, Metadata, ChecksumAlgorithm: 'SHA256' }),
    );
    return { UploadId: begun.UploadId, known: new Map(), encrypts: undefined };
  }
  const known = new Map<number | undefined, Part>();
  let marker: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed = await client.send(new sdk.ListPartsCommand({ ...key, UploadId, PartNumberMarker: marker }));
    for (const part of listed.Parts ?? []) known.set(part.PartNumber, part);
    if (listed.IsTruncated !== true) break;
    marker = listed.NextPartNumberMarker;
  }
  return { UploadId, known, encrypts: undefined };
};

interface PartToSend {
  readonly upload: Upload;
  readonly PartNumber: number;
  readonly piece: Buffer;
}

/** Sends a piece, unless the server has it already. */
const sendPart = async (
  bucket: S3Bucket,
  key: ObjectKey,
  { upload, PartNumber, piece }: PartToSend,
  signal: AbortSignal | undefined,
): Promise<SentPart> => {
  const sums = sumsOf(piece);
  const there = upload.known.get(PartNumber);
  const { ETag, ChecksumSHA256 } = there ?? {};
  const stands = { PartNumber, ETag, ChecksumSHA256 };
  const isSized = there?.Size === piece.length;
  if (isSized && isSame(there, sums)) return stands;
  const isSummed = isSized && ChecksumSHA256 === sums.sha256;
  // The tag of an encrypted part is no digest. The reply to the first part that is sent again says whether that is so.
  if (isSummed && (await upload.encrypts)) return stands;
  const sending = uploadPart(bucket, { ...key, UploadId: upload.UploadId, PartNumber }, { piece, sums, signal });
  upload.encrypts ??= sending.then(
    (stored) => stored.ServerSideEncryption !== undefined,
    () => false,
  );
  const sent = await sending;
  return { PartNumber, ETag: sent.ETag, ChecksumSHA256: sent.ChecksumSHA256 };
};

const uploadPart = (
  { sdk, client }: S3Bucket,
  place: ObjectKey & { readonly UploadId: string | undefined; readonly PartNumber: number },
  { piece, sums, signal }: { readonly piece: Buffer; readonly sums: Sums; readonly signal: AbortSignal | undefined },
): Promise<Stored> =>
  intact<Stored>(sums, ({ sha256 }) =>
    client.send(
      new sdk.UploadPartCommand({
        ...place,
        Body: piece,
        ContentLength: piece.length,
        ChecksumAlgorithm: 'SHA256',
        ChecksumSHA256: sha256,
      }),
      untilAborted(signal),
    ),
  );

/** Sends bytes until the server has stored the very same. */
const intact = async <T extends Stored>(sums: Sums, send: (sums: Sums) => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const stored = await send(sums);
      // A server that encrypts gives out other tags, and compares the checksum itself.
      if (stored.ServerSideEncryption !== undefined || hasSameTag(stored, sums)) return stored;
      if (attempt === ATTEMPTS) throw otherBytes();
    } catch (error) {
      if (!isCorrupted(error) || attempt === ATTEMPTS) throw isCorrupted(error) ? otherBytes() : error;
    }
  }
};

/** The tag of bytes that came in one request is their MD5 on most servers, and otherwise has another form. */
const hasSameTag = ({ ETag }: Stored, { md5 }: Sums): boolean => {
  const [, tag = md5] = /^"?([0-9a-f]{32})"?$/.exec(ETag ?? '') ?? [];
  return tag === md5;
};

/** Compares the tag alone for servers that keep no checksum or repeat the one of the request. */
const isSame = (stored: Stored, sums: Sums): boolean =>
  (stored.ChecksumSHA256 === undefined
    ? /^"?[0-9a-f]{32}"?$/.test(stored.ETag ?? '')
    : stored.ChecksumSHA256 === sums.sha256) && hasSameTag(stored, sums);

const untilAborted = (signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } =>
  signal === undefined ? {} : { abortSignal: signal };

const sumsOf = (piece: Uint8Array): Sums => ({
  sha256: createHash('sha256').update(piece).digest('base64'),
  md5: createHash('md5').update(piece).digest('hex'),
});

const changed = (): ServiceError =>
  new ServiceError('conflict', 'a file changed while it was sent', { hint: 'try again' });

const otherBytes = (): ServiceError =>
  new ServiceError('unavailable', 'the server has stored other bytes than were sent', {
    hint: 'look for a proxy or a network that changes data, and try again',
  });
