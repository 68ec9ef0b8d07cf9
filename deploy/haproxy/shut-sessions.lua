-- Shuts the sessions of a replica that stays down, so that its clients reconnect and reach another one.
--
-- `on-marked-down shutdown-sessions` does this at once. It so ends also connections that are still being made and that
-- `option redispatch` would save, and all connections of a replica that was only late. This gives the
-- former time to fail, and the latter one more check. It shuts nothing while no other replica is up: where every check
-- is late, load is the cause, or etcd that elects a leader, and a storm of reconnects would make it worse. Once one is up
-- again, the others get some time to be back, too. And where checks have passed only slowly, replicas are overloaded: one
-- that is late is then hardly lost, and its sessions are shut only when it stays down for long.
--
-- After a reload the former process keeps its sessions, but checks nothing any more: it asks the new one, at the path
-- of `lua.lost-servers` at METRICS_PORT, which servers are lost.
local port = tonumber(os.getenv('METRICS_PORT'))
local backend = 'replicas'
-- Seconds; longer than `timeout connect`, and than `downinter` with a quick check.
local grace = 0.25
-- The same while checks are slow.
local patience = 5
-- Milliseconds that checks take on average when they pass, of the 200 that they may; at rest it is less than 20.
local slow_check = 50
-- What the average follows in two seconds, at `period_ms`.
local weight = 0.0125
-- Seconds from when one is up after a time in which none was.
local recovery = 2
local period_ms = 25
-- Between questions of a former process.
local former_period_ms = 100

local down_since = {}
local none_up_at = 0
local average_ms = {}

local function now()
    local time = core.now()
    return time.sec + time.usec / 1000000
end

local function is_in_state(server, state)
    return server:get_stats().status:sub(1, #state) == state
end

local function is_any_up(servers)
    for _, server in pairs(servers) do
        if is_in_state(server, 'UP') then return true end
    end
    return false
end

-- Follows how long the checks of a server take. One that is not up keeps its last average: what it was before it was late.
local function follow_checks(name, server)
    local stats = server:get_stats()
    local last_ms = tonumber(stats.check_duration)
    -- While a check runs, the last is not known.
    if stats.status ~= 'UP' or not last_ms or last_ms < 0 then return end
    local before = average_ms[name] or 0
    average_ms[name] = before + (last_ms - before) * weight
end

-- Not by one that has been away for long: what it was like before would make this wait for all others until it is back.
local function are_checks_slow()
    for name, ms in pairs(average_ms) do
        local is_away = down_since[name] and now() - down_since[name] >= patience
        if ms >= slow_check and not is_away then return true end
    end
    return false
end

local function stays_down(name, server, for_seconds)
    if not is_in_state(server, 'DOWN') then
        down_since[name] = nil
        return false
    end
    down_since[name] = down_since[name] or now()
    return now() - down_since[name] >= for_seconds
end

-- Names of the servers whose sessions are to be shut, by the checks of this process.
local function lost_by_checks()
    local lost = {}
    local servers = core.backends[backend].servers
    if not is_any_up(servers) then none_up_at = now() end
    for name, server in pairs(servers) do follow_checks(name, server) end
    local is_recovering = now() - none_up_at < recovery
    local for_seconds = are_checks_slow() and patience or grace
    for name, server in pairs(servers) do
        if stays_down(name, server, for_seconds) and not is_recovering then lost[#lost + 1] = name end
    end
    return lost
end

-- The same by those of the process that has taken the place of this one; none while it does not answer.
local function lost_by_successor()
    local lost = {}
    local socket = core.tcp()
    socket:settimeout(1)
    if socket:connect('127.0.0.1', port) and socket:send('GET /lost-servers HTTP/1.0\r\n\r\n') then
        local answer = socket:receive('*a') or ''
        for name in (answer:match('\r\n\r\n(.*)') or ''):gmatch('[^\n]+') do lost[#lost + 1] = name end
    end
    socket:close()
    return lost
end

local function is_former()
    return tonumber(core.get_info().Stopping) == 1
end

core.register_service('lost-servers', 'http', function(applet)
    local text = table.concat(lost_by_checks(), '\n')
    applet:set_status(200)
    applet:add_header('content-type', 'text/plain')
    applet:add_header('content-length', #text)
    applet:start_response()
    applet:send(text)
end)

core.register_task(function()
    while true do
        local former = is_former()
        core.msleep(former and former_period_ms or period_ms)
        local lost = former and lost_by_successor() or lost_by_checks()
        for _, name in ipairs(lost) do
            local server = core.backends[backend].servers[name]
            if server then server:shut_sess() end
        end
    end
end)
