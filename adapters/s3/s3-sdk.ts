import type { S3Client } from '@aws-sdk/client-s3';
import { BUCKET_PLACE, ServiceError } from '../../ports/ports.ts';

export type S3Sdk = typeof import('@aws-sdk/client-s3');

/** A bucket with the client that reaches it. */
export interface S3Bucket {
  readonly sdk: S3Sdk;
  readonly client: S3Client;
  readonly name: string;
  /** The beginning of every key: empty, or with a slash at its end. */
  readonly prefix: string;
}

/** The package name as a constant, so that compilers and bundlers do not resolve the optional package. */
const PACKAGE: string = '@aws-sdk/client-s3';
/** The version that the tests use. It is the last line of versions for Node 20. */
const INSTALL = 'npm install @aws-sdk/client-s3@3.1175.0';
/** The variable that keeps the SDK from advising a newer Node, which a pinned version does not need. */
const NO_ADVICE = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/** Imports the SDK from where the operator has installed it. The package does not contain it, because of its size. */
export const importS3Sdk = async (
  load: (specifier: string) => Promise<unknown> = (specifier) => import(specifier),
): Promise<S3Sdk> => {
  process.env[NO_ADVICE] ??= 'true';
  try {
    return (await load(PACKAGE)) as S3Sdk;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException | null)?.code === 'ERR_MODULE_NOT_FOUND';
    throw new ServiceError(
      'unavailable',
      `a place s3://… needs the package ${PACKAGE}, which ${isMissing ? 'is not installed' : 'cannot be loaded'}`,
      {
        hint: `run "${INSTALL}" in the folder where the node is installed, with --global after a global install`,
        cause,
      },
    );
  }
};

type Environment = Readonly<Record<string, string | undefined>>;

const PARTS = new RegExp(`^${BUCKET_PLACE}$`);

const CONNECT_LIMIT_MS = 10_000;
/** The longest silence of a server. */
const SILENCE_LIMIT_MS = 60_000;
const ATTEMPTS = 5;

/**
 * Opens a bucket. Endpoint, region and credentials come from the variables that all tools for S3 read. So they are no
 * setting of the node, which could print them.
 */
export const openBucket = (place: string, env: Environment, sdk: S3Sdk): S3Bucket => {
  const [, name, path = ''] = PARTS.exec(place) ?? [];
  const folders = path.split('/').filter((one) => one !== '');
  if (name === undefined || folders.some((one) => /^\.+$/.test(one))) throw unknownPlace();
  const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'] ?? (endpoint === undefined ? undefined : 'us-east-1');
  const [accessKeyId, secretAccessKey, sessionToken] = [
    env['AWS_ACCESS_KEY_ID'],
    env['AWS_SECRET_ACCESS_KEY'],
    env['AWS_SESSION_TOKEN'],
  ];
  const client = new sdk.S3Client({
    maxAttempts: ATTEMPTS,
    // Compatible servers may know neither these headers nor names of buckets in the host.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_LIMIT_MS, socketTimeout: SILENCE_LIMIT_MS },
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
    // Otherwise the SDK looks for a profile, a role of the machine, and so on.
    ...(accessKeyId && secretAccessKey
      ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) } }
      : {}),
  });
  return { sdk, client, name, prefix: folders.map((one) => `${one}/`).join('') };
};

const unknownPlace = (): ServiceError =>
  new ServiceError('validation', 'a place in a bucket has the form s3://bucket/prefix, of plain names', {
    hint: 'credentials belong into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, an address into AWS_ENDPOINT_URL_S3',
  });
