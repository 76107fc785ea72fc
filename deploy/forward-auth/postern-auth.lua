-- Asks Postern about the request at hand: its verdict is in txn.postern_status, and what to pass on beside it.

local POSTERN = "http://postern:8971"
local PROXY_SECRET = nil -- the value of proxy.auth_secret, in quotes, where one is set
local TIMEOUT = 5000 -- milliseconds

-- What Postern judges by. Nothing else of the client's is sent, so it cannot describe another request.
local PASSED = {
  "authorization", "cookie", "origin", "sec-fetch-site", "sec-fetch-mode", "x-csrf-token",
  "sec-websocket-key", "sec-websocket-version",
}

local function first(lines)
  return lines and lines[0]
end

local function copy(lines)
  local copied = {}
  for at = 0, #lines do copied[at + 1] = lines[at] end
  return copied
end

core.register_action("postern_auth", { "http-req" }, function(txn)
  local sent = txn.http:req_get_headers()
  local path = txn.sf:path()
  local query = txn.sf:query()
  local question = {
    ["x-forwarded-method"] = { txn.sf:method() },
    ["x-forwarded-uri"] = { query == "" and path or path .. "?" .. query },
    ["x-forwarded-host"] = { first(sent["host"]) or "" },
    ["x-forwarded-proto"] = { txn.sf:ssl_fc() == 1 and "https" or "http" },
    ["x-forwarded-for"] = { txn.sf:src() },
  }
  for _, name in ipairs(PASSED) do
    if sent[name] then question[name] = copy(sent[name]) end
  end
  if PROXY_SECRET then question["x-proxy-secret"] = { PROXY_SECRET } end

  -- HAProxy passes an upgrade on only when both headers ask for it.
  local upgrade = (first(sent["upgrade"]) or ""):lower()
  local connection = (first(sent["connection"]) or ""):lower()
  local is_upgrade = upgrade == "websocket" and connection:find("upgrade", 1, true) ~= nil
  -- Said in the address, where no client can say it; Postern refuses it from a proxy that is not listed.
  local url = POSTERN .. (is_upgrade and "/auth?upgrade=websocket" or "/auth?upgrade=no")

  local answer = core.httpclient():get({ url = url, headers = question, timeout = TIMEOUT })
  txn:set_var("txn.postern_status", tostring(answer and answer.status or 503))
  if not answer or answer.status ~= 202 then return end
  local user, role, cookie = answer.headers["remote-user"], answer.headers["remote-role"], answer.headers["set-cookie"]
  if user then txn:set_var("txn.postern_user", first(user)) end
  if role then txn:set_var("txn.postern_role", first(role)) end
  if cookie then txn:set_var("txn.postern_cookie", first(cookie)) end
end)
