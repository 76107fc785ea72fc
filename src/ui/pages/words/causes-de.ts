/** What doctor finds, in German: what it is, and what to do. English comes from the server, with the finding. */
export const CAUSES_DE: Readonly<Record<string, readonly [title: string, advice: string]>> = {
  'tls-broken': [
    'Die Adresse spricht kein TLS',
    'Geben Sie dem Proxy ein Zertifikat für diesen Namen und lassen Sie ihn TLS sprechen.',
  ],
  unreachable: [
    'Die Adresse ist von diesem Rechner aus nicht erreichbar',
    'Prüfen Sie Name, Port, Firewall und ob der Proxy (oder Postern) läuft.',
  ],
  'http-to-https-port': [
    'Der Proxy spricht HTTP, wo Postern HTTPS erwartet',
    'Lassen Sie den Proxy https:// zu Postern verwenden, oder setzen Sie in einem privaten Netz tls.enabled: false.',
  ],
  'bad-gateway': [
    'Der Proxy erreicht Postern nicht',
    'Prüfen Sie im Proxy Host, Port und Schema von Postern und ob beide in einem Netz sind. Ein Postern mit TLS braucht dort https:// vor dem Namen.',
  ],
  redirected: [
    'Die Adresse leitet auf eine andere um',
    'Tragen Sie in server.public_url die öffentliche Adresse ein, oder entfernen Sie die Umleitung. Eine Umleitung von http auf https braucht X-Forwarded-Proto.',
  ],
  'login-in-front': [
    'Vor Postern verlangt etwas anderes eine Anmeldung',
    'Bei Single Sign-on ist das richtig. Was dahinter liegt, prüft „postern doctor“ mit --header "Cookie: …".',
  ],
  'base-path-missing': [
    'Postern kennt den Pfad der Adresse nicht',
    'Setzen Sie server.base_path auf den Pfad der Adresse; der Proxy muss ihn unverändert weitergeben.',
  ],
  'authorization-lost': [
    'Der Header Authorization kommt nicht an',
    'Lassen Sie den Proxy den Header Authorization weitergeben: API-Tokens brauchen ihn, auch die von Home Assistant.',
  ],
  'not-postern': [
    'Ein anderes Programm als Postern antwortet',
    'Leiten Sie im Proxy alle Pfade an Postern weiter, Port 8971, und keinen an den NVR.',
  ],
  'certificate-ended': [
    'Das Zertifikat ist abgelaufen',
    'Erneuern Sie es und prüfen Sie, warum das nicht von selbst geschah.',
  ],
  'certificate-ends-soon': [
    'Das Zertifikat läuft bald ab',
    'Erneuern Sie es und prüfen Sie, warum das nicht von selbst geschah.',
  ],
  'certificate-name': [
    'Das Zertifikat gilt für einen anderen Namen',
    'Verwenden Sie eine Adresse, die im Zertifikat steht, oder besorgen Sie eines für diesen Namen.',
  ],
  'certificate-untrusted': [
    'Browser vertrauen dem Zertifikat nicht',
    'Besorgen Sie ein Zertifikat einer öffentlichen Stelle, oder installieren Sie das eigene auf den Geräten. Bei unvollständiger Kette: fullchain.pem statt cert.pem.',
  ],
  'not-encrypted': ['Die Adresse ist nicht verschlüsselt', 'Stellen Sie sie über https bereit.'],
  'http-2-missing': [
    'Die Adresse bietet kein HTTP/2 an',
    'Lassen Sie den Proxy den Browsern HTTP/2 anbieten. Mit Postern darf er HTTP/1.1 sprechen.',
  ],
  'other-version': [
    'Dort antwortet eine andere Version von Postern',
    'Starten Sie den Dienst nach einer Aktualisierung neu und prüfen Sie, ob die Adresse zu diesem Rechner führt.',
  ],
  'policy-not-in-force': [
    'Dort gilt eine andere Routentabelle',
    'Suchen Sie im Protokoll nach einem abgelehnten Neuladen und starten Sie neu. Mehrere Posterns brauchen dieselben Dateien.',
  ],
  'clock-differs': ['Die Uhr von Postern geht falsch', 'Synchronisieren Sie die Uhren über NTP.'],
  'proxy-clock-differs': ['Die Uhr des Proxys geht falsch', 'Synchronisieren Sie die Uhren über NTP.'],
  'base-path-differs': [
    'server.base_path passt nicht zur Adresse',
    'Setzen Sie server.base_path auf den Pfad der Adresse; entfernen Sie es, wenn sie keinen hat.',
  ],
  'client-address-lost': [
    'Der Proxy sendet kein X-Forwarded-For',
    'Lassen Sie den Proxy die Adresse des Clients senden und tragen Sie den Proxy in auth.trusted_proxies ein.',
  ],
  'client-address-forgeable': [
    'Clients können ihre Adresse fälschen',
    'Lassen Sie den Proxy X-Forwarded-For setzen oder um die Adresse ergänzen, die er sieht.',
  ],
  'proxy-not-trusted': [
    'Der Proxy ist nicht als vertrauenswürdig eingetragen',
    'Tragen Sie die Adresse des Proxys oder sein Netz in auth.trusted_proxies ein.',
  ],
  'proto-lost': ['Der Proxy sendet kein X-Forwarded-Proto: https', 'Lassen Sie den Proxy X-Forwarded-Proto senden.'],
  'proto-wrong': [
    'Der Proxy meldet https, der Browser verwendet aber http',
    'Stellen Sie die Adresse über https bereit, oder lassen Sie den Proxy das Schema senden, das der Browser verwendet.',
  ],
  'host-lost': [
    'Der Hostname des Browsers kommt nicht an',
    'Lassen Sie den Proxy den Host des Browsers mit seinem Port weitergeben.',
  ],
  'http-1-0': ['Der Proxy spricht mit Postern nur HTTP/1.0', 'Lassen Sie den Proxy mit Postern HTTP/1.1 sprechen.'],
  'upgrade-lost': [
    'WebSockets funktionieren nicht',
    'Lassen Sie den Proxy die Header Upgrade und Connection weitergeben.',
  ],
  'cookie-lost': ['Cookies kommen nicht an', 'Lassen Sie den Proxy den Header Cookie weitergeben.'],
  'identity-forgeable': [
    'Clients können sich als jeder Benutzer ausgeben',
    'Lassen Sie den Proxy jeden Identitäts-Header bei jeder Anfrage setzen oder entfernen.',
  ],
  'target-rewritten': [
    'Der Proxy schreibt Pfade oder Parameter um',
    'Lassen Sie den Proxy Pfad und Parameter unverändert weitergeben.',
  ],
  'methods-refused': [
    'Der Proxy lehnt PUT ab',
    'Lassen Sie den Proxy GET, HEAD, POST, PUT, PATCH, DELETE und OPTIONS weitergeben.',
  ],
  'body-limit': [
    'Der Proxy lehnt große Anfragen ab',
    'Erhöhen Sie die Grenze auf nvr.max_upload (20 MB, wenn nichts gesetzt ist) oder entfernen Sie sie: Postern hat seine eigene.',
  ],
  'set-cookie-lost': [
    'Set-Cookie kommt nicht beim Browser an',
    'Lassen Sie den Proxy den Header Set-Cookie weitergeben.',
  ],
  'set-cookie-changed': [
    'Der Proxy verändert das Cookie',
    'Lassen Sie den Proxy den Header Set-Cookie unverändert weitergeben.',
  ],
  buffered: ['Der Proxy puffert Antworten', 'Schalten Sie das Puffern von Antworten aus.'],
  'buffered-files': ['Der Proxy puffert Dateien', 'Schalten Sie das Puffern von Antworten aus.'],
  'stream-compressed': ['Der Proxy komprimiert Streams', 'Komprimieren Sie nur Text, nie Ereignis-Streams oder Video.'],
  'cut-while-silent': [
    'Der Proxy trennt stille Streams',
    'Erhöhen Sie die Zeitgrenze des Proxys für stille Streams auf eine Stunde.',
  ],
  'range-lost': [
    'Teile von Dateien lassen sich nicht abrufen',
    'Lassen Sie den Proxy den Header Range und Antworten mit Status 206 unverändert weitergeben.',
  ],
  'cached-api': [
    'Der Proxy beantwortet Anfragen unter /api/ aus seinem Cache',
    'Schalten Sie den Cache des Proxys für /api/ oder für den ganzen Host aus.',
  ],
  'answers-cached': ['Der Proxy antwortet aus seinem Cache', 'Schalten Sie den Cache des Proxys für diesen Host aus.'],
  'errors-replaced': [
    'Der Proxy ersetzt Fehlermeldungen von Postern',
    'Lassen Sie den Proxy Fehlerantworten unverändert weitergeben.',
  ],
  'nvr-port-open': [
    'Ein Port des NVR ist unter der öffentlichen Adresse offen',
    'Veröffentlichen Sie keinen Port des NVR: Nehmen Sie ihn bei seinem Container aus „ports:“, oder schließen Sie ihn in der Firewall.',
  ],
  'webrtc-port-open': [
    'Der WebRTC-Port ist unter der öffentlichen Adresse offen',
    'Nur das Sprechen über eine Kamera braucht ihn. Sonst nehmen Sie ihn aus „ports:“ des Containers.',
  ],
  'nvr-port-exposed': [
    'Andere Rechner erreichen einen Port des NVR',
    'Veröffentlichen Sie keinen Port des NVR: Nehmen Sie ihn bei seinem Container aus „ports:“, oder lassen Sie ihn nur auf 127.0.0.1 lauschen.',
  ],
  'nvr-unreachable': [
    'Der NVR antwortet nicht',
    'Prüfen Sie, ob der NVR läuft, ob nvr.url stimmt und ob beide in einem Netz sind.',
  ],
  'store-unreachable': [
    'Die Datenbank antwortet nicht',
    'Prüfen Sie store.url und den Datenträger oder Server dahinter: Ohne die Datenbank ist keine Anmeldung möglich.',
  ],
  'no-cameras': ['Der NVR hat keine Kameras', 'Richten Sie Kameras im NVR ein, oder nennen Sie sie in nvr.cameras.'],
  'camera-names-alike': [
    'Kameranamen beginnen gleich',
    'Benennen Sie im NVR jeweils eine der beiden Kameras um. Er sucht Vorschaubilder nach dem Anfang des Namens: Eine Rolle, die nur die erste Kamera sieht, bekommt deshalb kein Bild, solange diese offline ist, und keinen Export der laufenden Stunde.',
  ],
  'disk-full': ['Der Datenträger ist fast voll', 'Schaffen Sie Platz: Wenn er voll ist, schlagen Anmeldungen fehl.'],
  'nvr-newer': [
    'Der NVR ist neuer als die Routentabelle',
    'Aktualisieren Sie Postern. Bis dahin steht unter „Unbekannte Routen“, was nur Administratoren dürfen.',
  ],
  'nvr-older': [
    'Der NVR ist älter als die Routentabelle',
    'Aktualisieren Sie den NVR bei Gelegenheit: Jede neue Version schließt Lücken, durch die fremde Kameras sichtbar werden. Vor 0.17 kennen seine Seiten nur die Rollen admin und viewer; eigene Rollen heißen dort viewer, ihre Kameras bleiben dieselben.',
  ],
  'second-factor-off': ['Kein zweiter Faktor', 'Setzen Sie auth.second_factor auf admins oder everyone.'],
  'admins-without-factor': [
    'Administratoren ohne zweiten Faktor',
    'Lassen Sie jeden Administrator in der Konsole einen zweiten Faktor einrichten und setzen Sie dann auth.second_factor auf admins.',
  ],
  'provider-unreachable': [
    'Ein Anmeldeanbieter antwortet nicht',
    'Prüfen Sie „issuer“ seines Eintrags in auth.oidc, den Nameserver und „ca“ bei einer eigenen Zertifizierungsstelle.',
  ],
  'provider-unfit': [
    'Ein Anmeldeanbieter antwortet nicht wie erwartet',
    'Vergleichen Sie „issuer“ mit dem Dokument unter <issuer>/.well-known/openid-configuration: Beide müssen denselben Aussteller nennen, bis auf den Schrägstrich am Ende genau.',
  ],
  'provider-keys': [
    'Ein Anmeldeanbieter nennt keine Schlüssel',
    'Wählen Sie beim Anbieter einen Signaturschlüssel für diesen Client (RS256, PS256, ES256 oder EdDSA).',
  ],
  'provider-clock-differs': ['Die Uhr eines Anmeldeanbieters geht falsch', 'Stellen Sie die Uhren per NTP.'],
  'provider-refuses-client': [
    'Ein Anmeldeanbieter lehnt diesen Client ab',
    'Vergleichen Sie client_id und scopes, und tragen Sie beim Anbieter die Redirect-URI ein: server.public_url, dahinter /api/login/oidc/NAME/callback.',
  ],
  'passkeys-idle': [
    'Passkeys lassen sich nicht verwenden',
    'Setzen Sie server.public_url auf die Adresse, für die sie erstellt wurden: Ein anderer Hostname macht sie ungültig.',
  ],
};
