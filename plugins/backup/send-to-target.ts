import { resolve } from 'node:path';
import { type Clock, type ObjectStores, type Random, ServiceError, type StoreCopies } from '../../kernel/plugin-api.ts';
import type { BackupSettings } from './backup-settings.ts';
import { stayingThere } from './backup-settings.ts';
import { type SendOptions, type SendResult, sendBackups } from './send-backups.ts';
import { recordTarget } from './target-record.ts';

export interface TargetParts {
  readonly copies: Pick<StoreCopies, 'alone' | 'nodeId' | 'placeKeys'>;
  readonly clock: Clock;
  readonly objects: ObjectStores;
  readonly random: Random;
  readonly config: BackupSettings;
}

export interface SentToTarget extends SendResult {
  readonly place: string;
}

/**
 * Sends the backups of the folder to the configured target, and remembers what the target then has. Rejects with
 * `unavailable` while another process makes or sends backups. `patience` is that of `StoreCopies.alone`.
 */
export const sendToTarget = (
  { copies, clock, objects, random, config }: TargetParts,
  options: SendOptions = {},
  patience?: AbortSignal,
): Promise<SentToTarget> =>
  copies.alone(
    async () => {
      if (config.target === undefined) throw noTarget();
      const target = await objects.open(config.target);
      if (target.place === resolve(config.folder)) throw samePlace();
      const [nodeId, nowMs, retention] = [await copies.nodeId(), clock.nowMs(), stayingThere(config)];
      const result = await sendBackups({ folder: config.folder, target, retention, nodeId, nowMs }, options);
      await copies.placeKeys({ target });
      await recordTarget(config.folder, { place: target.place, backups: result.there }, random);
      return { ...result, place: target.place };
    },
    'backup',
    patience,
  );

const noTarget = (): ServiceError =>
  new ServiceError('validation', 'there is no target to send backups to', {
    hint: 'set SVC_BACKUP_TARGET to s3://bucket/prefix, or to a folder on another disk',
  });

const samePlace = (): ServiceError =>
  new ServiceError('validation', 'the target is the folder of backups itself', {
    hint: 'name another folder in SVC_BACKUP_TARGET',
  });
