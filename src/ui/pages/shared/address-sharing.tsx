/** An address that is for another person: as a picture for a phone's camera, and for the system's way of sharing. */
import { useEffect, useState } from 'preact/hooks';
import { words } from './words.ts';

export function AddressSharing({ url, title }: { url: string; title: string }) {
  const [picture, setPicture] = useState<string>();
  useEffect(() => {
    let isOver = false;
    import('./code-picture.ts').then(({ codePicture }) => !isOver && setPicture(codePicture(url))).catch(() => {});
    return () => {
      isOver = true;
    };
  }, [url]);
  return (
    <>
      {'share' in navigator && (
        <p>
          {/* Rejects when the person thinks better of it. */}
          <button class="button" type="button" onClick={() => void navigator.share({ url, title }).catch(() => {})}>
            {words.ui.common.share}
          </button>
        </p>
      )}
      <div class="qr-place">
        {picture !== undefined && <img class="qr-code" src={picture} alt={words.ui.common.qr} />}
      </div>
    </>
  );
}
