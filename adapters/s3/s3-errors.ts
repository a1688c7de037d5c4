import { ServiceError } from '../../ports/ports.ts';

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

const statusOf = (error: unknown): unknown => (error as SdkError | null)?.$metadata?.httpStatusCode;

const nameOf = (error: unknown): string => {
  const { name, code } = (error ?? {}) as SdkError;
  const word = typeof code === 'string' ? code : name;
  return typeof word === 'string' && /^[A-Za-z0-9_]{1,60}$/.test(word) ? word : 'no reason given';
};

/** Names of errors that say that a server has received other bytes than were sent. */
const CORRUPTED: ReadonlySet<string> = new Set([
  'BadDigest',
  'InvalidDigest',
  'XAmzContentChecksumMismatch',
  'XAmzContentSHA256Mismatch',
]);

export const isCorrupted = (error: unknown): boolean => CORRUPTED.has(nameOf(error));

/** True for a request that the server does not know, as opposed to one that it refuses. */
export const isUnknownRequest = (error: unknown): boolean =>
  nameOf(error) === 'NotImplemented' || statusOf(error) === 501 || statusOf(error) === 405;

export const isMissing = (error: unknown): boolean =>
  ['NoSuchKey', 'NotFound', 'NoSuchUpload', 'NoSuchVersion'].includes(nameOf(error));

/** True for an error of the settings: no server has answered, and none would the next time. */
const isUnconfigured = (error: unknown): boolean =>
  nameOf(error).endsWith('ProviderError') || (error as Error | null)?.message === 'Region is missing';

/** True for an error that may pass when the request is made once more. */
export const isPassing = (error: unknown): boolean => {
  const status = statusOf(error);
  if (error instanceof ServiceError || isUnconfigured(error)) return false;
  return typeof status !== 'number' || status >= 500 || status === 200;
};

const NO_CREDENTIALS = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile or role that the AWS SDK finds';

/**
 * Explains an error of the SDK. The original is left out on purpose: its message and its members may repeat access keys
 * and signed text.
 */
export const explainS3 = (place: string, error: unknown): Error => {
  const name = nameOf(error);
  if ((error as Error | null)?.message === 'Region is missing') {
    return new ServiceError('validation', `the region of ${place} is unknown`, { hint: 'set AWS_REGION' });
  }
  // Other errors come from the files that are sent, and are explained elsewhere.
  const isOurs = typeof error === 'object' && error !== null && '$metadata' in error;
  if (!isOurs && !name.endsWith('ProviderError')) return error as Error;
  if ((error as Error).name === 'AbortError') return error as Error;
  const status = statusOf(error);
  if (name === 'NoSuchBucket') {
    return new ServiceError('lookup', `there is no bucket of ${place}`, {
      hint: 'create it, or correct the name; AWS_ENDPOINT_URL_S3 names another server than that of AWS',
    });
  }
  if (isMissing(error) || status === 404) {
    return new ServiceError('lookup', `an object is missing in ${place}`, { hint: 'list what there is' });
  }
  if (status === 401 || status === 403) {
    return new ServiceError('unavailable', `${place} refuses the request (${name})`, {
      hint: `${NO_CREDENTIALS}; the guide for operators lists the permissions that backups need`,
    });
  }
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError') {
    return new ServiceError('unavailable', `there are no credentials for ${place}`, { hint: NO_CREDENTIALS });
  }
  return unusable(place, name);
};

/** The error of a connection that was cut again and again. */
export const unusable = (place: string, reason: string): ServiceError =>
  new ServiceError('unavailable', `${place} cannot be used (${reason})`, {
    hint: 'check the network, AWS_ENDPOINT_URL_S3 and AWS_REGION, and try again',
  });
