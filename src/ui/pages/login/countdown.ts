/** Counts down to a moment, once a second; a laptop that slept wakes up to the right number. */
export function startCountdown(seconds: number, show: (secondsLeft: number) => void, finish: () => void): () => void {
  const end = Date.now() + seconds * 1000;
  const tick = (): void => {
    const left = Math.ceil((end - Date.now()) / 1000);
    if (left > 0) {
      show(left);
      return;
    }
    clearInterval(timer);
    finish();
  };
  const timer = setInterval(tick, 1000);
  show(seconds);
  return () => clearInterval(timer);
}
