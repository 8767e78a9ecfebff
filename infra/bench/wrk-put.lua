-- PUTs a value of 1 KB to one key after the other. Arguments: path of the store, owner token, number of keys.
local path, token, keys
local n = 0
local value = string.rep("A value of one kilobyte. ", 41)

function init(args)
  path, token, keys = args[1], args[2], tonumber(args[3])
end

function request()
  n = n + 1
  local body = '{"value":"' .. string.sub(n .. " " .. value, 1, 1024) .. '"}'
  local headers = { ["Content-Type"] = "application/json", ["X-Owner-Token"] = token, ["User-Agent"] = "wrk/4" }
  return wrk.format("PUT", path .. "/k" .. (n % keys), headers, body)
end

dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "wrk-report.lua")
