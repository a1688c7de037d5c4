import { defineErrorCode } from '../../kernel/plugin-api.ts';

export const AS_OF_INVALID_TIMESTAMP = defineErrorCode('as_of_invalid_timestamp', {
  status: 400,
  summary: 'as_of or valid_at is no instant and no stamp',
});

export const AS_OF_FUTURE = defineErrorCode('as_of_future', {
  status: 400,
  summary: 'as_of names a moment that has not come',
});

export const AS_OF_BEFORE_FLOOR = defineErrorCode('as_of_before_floor', {
  status: 400,
  summary: 'as_of names a moment before the earliest one whose state the store keeps; `floor` says which that is',
});
