import { useState } from 'preact/hooks';
import { Dialog } from '../../kit/dialog.tsx';
import { DownloadButton } from '../../kit/download-button.tsx';
import { useSession } from '../../session/session.ts';
import { fill } from '../../texts/texts.ts';

/** Exports the facts about an entity, as a file that ends with a signed receipt. */
export const ExportDialog = ({ entity, onClose }: { entity: string; onClose: () => void }) => {
  const { client, own } = useSession('erasure');
  const [isAbout, setAbout] = useState(true);
  const [isBy, setBy] = useState(true);
  const body = { entity_uri: entity, about: isAbout, asserted_by: isBy };
  return (
    <Dialog title={fill(own.exportTitle, { entity })} onClose={onClose}>
      <p>{own.exportText}</p>
      <label class="check">
        <input type="checkbox" checked={isAbout} onChange={({ currentTarget }) => setAbout(currentTarget.checked)} />
        {own.about}
      </label>
      <label class="check">
        <input type="checkbox" checked={isBy} onChange={({ currentTarget }) => setBy(currentTarget.checked)} />
        {own.assertedBy}
      </label>
      <DownloadButton
        label={own.export}
        fileName={`${entity.replaceAll(/[^\w.-]+/g, '-').slice(0, 80)}.jsonl`}
        ask={(signal) => client.open('POST', '/v1/subjects/export', { body, signal, timeoutMs: 0 })}
      />
    </Dialog>
  );
};
